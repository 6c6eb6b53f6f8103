"""Package a run with a model card as a release file.

    python -m tools.release_file runs/mini/dsa/seed-13 mini.zip --terms Apache-2.0

First export the ONNX models into the run with `dsa export RUN --in-run`, so that the
release predicts without Keras. Prints the size and the SHA-256 for the entry in
`RELEASES`. `--candidates` adds the dev scores of all seeds from which this run was
selected to the card. `--everyday-pairs` adds the result of tools/everyday_pairs.py, for
models with the labels of SNLI.
"""

import argparse
import hashlib
import zipfile
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.fetching import find_run_folder
from dsa.hub.model_card import describe_corpus, format_facts, format_results
from dsa.hub.shared_files import CARD, RUN_FILES, check_run
from dsa.inference.onnx_inference import ONNX_FOLDER
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.text_tables import format_markdown_table
from tools.everyday_pairs import format_report

DATE = (1980, 1, 1, 0, 0, 0)  # fixed, for reproducible archives


def write_release(path, run, terms, candidates=(), notes="", everyday_pairs=False):
    """Writes a zip archive of a run with its ONNX models and a model card.

    Args:
        path: output file, `.zip`.
        run: run folder.
        terms: terms of use.
        candidates: see `format_card`.
        notes: see `format_card`.
        everyday_pairs: see `format_card`.

    Raises: `InputError` if the run is not finished, damaged or without a record of its
        files; also see `format_card`.
    """
    run = RunFolder(run)
    run.check_folder()
    if not is_finished(run):
        raise InputError(f"{run.path} is not a finished run")
    check_run(run)
    paths = [run.path / name for name in sorted(RUN_FILES) if run.has(name)]
    paths += sorted((run.path / ONNX_FOLDER).glob("*"))
    files = {path.relative_to(run.path).as_posix(): path.read_bytes() for path in paths}
    card = format_card(run, terms, candidates, notes, everyday_pairs)
    files[CARD] = card.encode("utf-8")

    def write(temporary):
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(
                    zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED, 9
                )

    write_atomically(path, write)


def format_card(run, terms, candidates=(), notes="", everyday_pairs=False):
    """Returns a model card in Markdown: model, data, results and terms of use.

    Args:
        run: the `RunFolder`.
        terms: terms of use.
        candidates: run folders, or runs of a study, of all seeds from which this run
            was selected.
        notes: additional notes for users, in Markdown.
        everyday_pairs: whether to predict the pairs of tools/everyday_pairs.py.

    Raises: `InputError` if the run has no evaluation on dev, or if its seed is not the
        one with the best dev score of the candidates.
    """
    experiment, environment = run.experiment(), run.environment()
    weights = environment.get("weights", "float32")
    parts = [
        f"# {experiment.model.name} on {describe_corpus(experiment.data)}",
        f"""{experiment.family.paper}. A run of `dsa` {environment.get("dsa")}, commit
`{environment.get("commit")}`, on {environment.get("device")} with
{environment.get("backend")} {environment.get("backend_version")}.""",
        f"{format_facts(run)}\n- weights: {weights}\n- terms: {terms}",
        f"## Measured on this file\n\n{format_results(run)}",
        _format_confusion(run),
        _format_everyday_pairs(run) if everyday_pairs else "",
        _format_candidates(candidates, run) if candidates else "",
        notes.strip(),
        """Settings are in `config.yaml`, evaluations in `metrics.json`. To use the
model, unpack the archive and pass the folder to `dsa.load`.""",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _find_dev_evaluation(run):
    """Returns the last evaluation of a run on dev."""
    entries = [e for e in run.current_evaluations() if e["split"] == "dev"]
    if not entries:
        raise InputError(f"{run.path} has not been evaluated on dev")
    return entries[-1]


def _format_confusion(run):
    """Returns the normalized confusion matrix of dev as Markdown."""
    entry = _find_dev_evaluation(run)
    if "confusion" not in entry:
        return ""
    rows = [
        [label, *(f"{share / max(sum(counts), 1):.1%}" for share in counts)]
        for label, counts in zip(entry["labels"], entry["confusion"], strict=True)
    ]
    predictions = [f"predicted {label}" for label in entry["labels"]]
    table = format_markdown_table(["gold label (dev)", *predictions], rows)
    return f"## Confusion matrix\n\n{table}"


def _format_everyday_pairs(run):
    """Returns the result of a run on the everyday pairs as Markdown."""
    return f"""## Sixty everyday English pairs

The pairs were written for this test, ten per group. Correct predictions by group and
gold label, and all wrong predictions:

{format_report(run.path)}"""


def _format_candidates(candidates, released):
    """Returns the dev scores of the candidates as Markdown."""
    metric = released.experiment().dev_metric
    scores = {}  # by seed
    for path in candidates:
        run = find_run_folder(path)
        scores[run.experiment().seed] = _find_dev_evaluation(run)[metric]
    seed = released.experiment().seed
    best_seed = max(scores, key=scores.__getitem__)
    if seed != best_seed:
        raise InputError(
            f"{released.path}: expected the run with the best {metric} on dev, seed "
            f"{best_seed}. Received: seed {seed}"
        )
    rows = [[str(seed), f"{score:.4f}"] for seed, score in sorted(scores.items())]
    table = format_markdown_table(["seed", f"{metric} on dev"], rows)
    return f"""## Selection

This run has the best dev score of these seeds, so its dev score is slightly optimistic.

{table}"""


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("file", type=Path, help="output file, .zip")
    parser.add_argument(
        "--terms", required=True, help="terms of use of the model and its data"
    )
    parser.add_argument("--candidates", nargs="+", default=(), help="run folders")
    parser.add_argument("--notes", type=Path, help="Markdown file with notes")
    parser.add_argument(
        "--everyday-pairs", action="store_true", help="predict sixty everyday pairs"
    )
    options = parser.parse_args(arguments)
    notes = options.notes.read_text("utf-8") if options.notes else ""
    write_release(
        options.file,
        options.run,
        options.terms,
        options.candidates,
        notes,
        options.everyday_pairs,
    )
    content = options.file.read_bytes()
    print(f"{options.file}: {len(content):,} bytes")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    raise SystemExit(main())
