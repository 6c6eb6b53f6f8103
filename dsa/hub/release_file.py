"""A run folder as one file, with a card that says what it is."""

import zipfile
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_files import TRACKING
from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.hub.card_text import write_facts, write_results
from dsa.hub.shared_files import CARD
from dsa.system.atomic_files import write_atomically

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
