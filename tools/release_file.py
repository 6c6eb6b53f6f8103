"""Write a run as a release file with a card, and print what `RELEASES` needs.

python tools/release_file.py runs/mini/dsa/seed-13 dsa/hub/mini.zip --terms Apache-2.0
"""

import argparse
import hashlib
import zipfile
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_files import TRACKING
from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.hub.model_card import write_facts, write_results
from dsa.hub.shared_files import CARD
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command

NOT_NEEDED = ("log.txt", TRACKING, CARD)  # `state/` and figures are folders
DATE = (1980, 1, 1, 0, 0, 0)  # the same run gives the same bytes


def write_release(path, run, terms):
    """Write a zip of what a run needs to be loaded, and its card.

    Args:
        path: the `.zip` file.
        run: the run folder.
        terms: of its use.

    Raises: `InputError` for a run that is not finished.
    """
    run = RunFolder(run)
    run.check_no_links()
    if not is_finished(run):
        raise InputError(f"{run.path}: not finished, it cannot be released")
    files = {
        file.name: file.read_bytes()
        for file in sorted(Path(run.path).iterdir())
        if file.is_file() and file.name not in NOT_NEEDED
    }
    files[CARD] = write_card(run, terms).encode("utf-8")

    def write(temporary):
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(
                    zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED, 9
                )

    write_atomically(path, write)


def write_card(run, terms):
    """The card of a `RunFolder`, as Markdown: model, data, numbers, terms."""
    experiment, environment = run.experiment(), run.environment()
    return f"""# {experiment.model.name} on {experiment.data.corpus}

{experiment.family.paper}. A run of `dsa` {environment.get("dsa")}, commit
`{environment.get("commit")}`, on {environment.get("device")}, by
{environment.get("backend")} {environment.get("backend_version")}.

{write_facts(run)}
- terms: {terms}

{write_results(run)}

The seed is part of the result, and so is every setting in `config.yaml`. To use it,
unpack it and give the folder to `dsa.load`.
"""


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("file", type=Path, help=".zip file that is written")
    parser.add_argument("--terms", required=True, help="of its use, and of its data")
    options = parser.parse_args(arguments)
    write_release(options.file, options.run, options.terms)
    content = options.file.read_bytes()
    print(f"{options.file}: {len(content):,} bytes")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    raise SystemExit(main())
