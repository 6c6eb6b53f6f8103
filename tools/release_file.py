"""Write a run as a release file with a card, and print what `RELEASES` needs.

python tools/release_file.py runs/mini/dsa/seed-13 dsa/hub/mini.zip --terms Apache-2.0

`--candidates` are the runs among which dev chose this one; the card lists them.
"""

import argparse
import hashlib
import zipfile
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.model_card import write_facts, write_results
from dsa.hub.shared_files import CARD
from dsa.runs.run_files import TRACKING
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.text_tables import markdown_table

NOT_NEEDED = ("log.txt", TRACKING, CARD)  # `state/` and figures are folders
DATE = (1980, 1, 1, 0, 0, 0)  # the same run gives the same bytes


def write_release(path, run, terms, candidates=(), notes=""):
    """Write a zip of what a run needs to be loaded, and its card.

    Args:
        path: the `.zip` file.
        run: the run folder.
        terms: of its use.
        candidates, notes: see `write_card`.

    Raises: `InputError` for a run that is not finished.
    """
    run = RunFolder(run)
    run.check_folder()
    if not is_finished(run):
        raise InputError(f"{run.path}: not finished, it cannot be released")
    files = {
        file.name: file.read_bytes()
        for file in sorted(Path(run.path).iterdir())
        if file.is_file() and file.name not in NOT_NEEDED
    }
    files[CARD] = write_card(run, terms, candidates, notes).encode("utf-8")

    def write(temporary):
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(
                    zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED, 9
                )

    write_atomically(path, write)


def write_card(run, terms, candidates=(), notes=""):
    """The card of a `RunFolder`, as Markdown: model, data, numbers, terms.

    Args:
        run: the `RunFolder`.
        terms: of its use.
        candidates: run folders, other seeds of the same settings and the run itself.
        notes: what else a user should know, as Markdown.
    """
    experiment, environment = run.experiment(), run.environment()
    weights = environment.get("weights", "float32")
    parts = [
        f"# {experiment.model.name} on {experiment.data.corpus}",
        f"""{experiment.family.paper}. A run of `dsa` {environment.get("dsa")}, commit
`{environment.get("commit")}`, on {environment.get("device")}, by
{environment.get("backend")} {environment.get("backend_version")}.""",
        f"{write_facts(run)}\n- weights: {weights}\n- terms: {terms}",
        f"## Measured on this file\n\n{write_results(run)}",
        _write_errors(run),
        _write_candidates(candidates),
        notes.strip(),
        """Settings are in `config.yaml`, evaluations in `metrics.json`. To use it,
unpack it and give the folder to `dsa.load`.""",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _write_errors(run):
    """How often each label of dev is given as which, as Markdown."""
    entry = next((e for e in run.own_metrics() if e["split"] == "dev"), {})
    if "confusion" not in entry:
        return ""
    rows = [
        [label, *(f"{share / max(sum(counts), 1):.1%}" for share in counts)]
        for label, counts in zip(entry["labels"], entry["confusion"], strict=True)
    ]
    answers = [f"answered {label}" for label in entry["labels"]]
    table = markdown_table(["label of dev", *answers], rows)
    return f"## What it gets wrong\n\n{table}"


def _write_candidates(candidates):
    """The dev accuracies among which this run's was the best, as Markdown."""
    if not candidates:
        return ""
    runs = [RunFolder(path) for path in candidates]
    rows = [
        [str(run.experiment().seed), f"{entry[run.experiment().task.selects]:.4f}"]
        for run in runs
        for entry in run.own_metrics()
        if entry["split"] == "dev"
    ]
    table = markdown_table(["seed", "dev, in float32"], rows)
    return f"""## How it was chosen

Dev chose among these seeds; the best of several is a little too good as an estimate.

{table}"""


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("file", type=Path, help=".zip file that is written")
    parser.add_argument("--terms", required=True, help="of its use, and of its data")
    parser.add_argument("--candidates", nargs="+", default=(), help="run folders")
    parser.add_argument("--notes", type=Path, help="Markdown file for the card")
    options = parser.parse_args(arguments)
    notes = options.notes.read_text("utf-8") if options.notes else ""
    write_release(options.file, options.run, options.terms, options.candidates, notes)
    content = options.file.read_bytes()
    print(f"{options.file}: {len(content):,} bytes")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    raise SystemExit(main())
