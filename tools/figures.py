"""Redraw all figures of results/ from the committed numbers.

    python -m tools.figures

Writes the figures and results/figures.json: the SHA-256 of the drawing code, and of the
numbers and the picture of each figure. The only other picture is results/page.png, a
screenshot.
"""

import argparse
import csv
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_accuracy_by_length
from dsa.evaluation.study_answers import ANSWERS_FILE, ROWS_FILE
from dsa.runs.studies import RUNS
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from tools.case_figures import NAMES, build_studies, draw_case, read_cases
from tools.cost_figure import NUMBERS, draw_cost
from tools.docs_tables.pivot import list_rows
from tools.learning_curve_figure import draw_learning_curves
from tools.learning_curves import TABLE as CURVES
from tools.mask_figure import EXPERIMENTS, draw_mask
from tools.results_figure import draw_models

CHECKOUT = Path(__file__).resolve().parents[1]
CODE = (
    "dsa/analysis/*.py",
    "dsa/analysis/*.mplstyle",
    "tools/*figure*.py",
    "tools/answered_models.py",
    "tools/docs_tables/pivot.py",
    "tools/learning_curves.py",
    "dsa/tasks/seed_comparison.py",
)
DIGESTS = "results/figures.json"
DPI = 150
CASES = "case_study"
MASK = "mask"  # figure of the experiments on the distance mask
COLOURS = 256  # per picture, to reduce the file size by two thirds
FILES = {  # study -> (title, kind of rows)
    "snli_dev": ("SNLI dev", "pairs"),
    "snli_models": ("SNLI dev", "pairs"),
    "multinli_dev_matched": ("MultiNLI dev, matched", "pairs"),
    "sst_dev": ("SST-5 dev", "sentences"),
}


def draw_all(checkout: Path) -> Iterator[tuple[Path, Figure, str]]:
    """Yields (path without suffix, figure, digest of its numbers) of each figure."""
    results = checkout / "results"
    rows = list_rows("alike", checkout)
    yield results / "models", draw_models(rows), _digest_rows(rows)
    cost = checkout / NUMBERS
    yield cost.with_suffix(""), draw_cost(checkout), digest_picture(cost)
    mask = checkout / EXPERIMENTS
    yield mask / MASK, draw_mask(checkout), _digest_runs(mask)
    curves = checkout / CURVES
    yield curves.with_suffix(""), draw_learning_curves(curves), digest_picture(curves)
    lengths = results / "lengths"
    for name, (title, row_kind) in FILES.items():
        figure = _draw_lengths(lengths, name, title, row_kind)
        yield lengths / name / "lengths", figure, _digest_files(lengths)
    folder = results / CASES
    record, arrays = read_cases(folder)
    for case in record:
        studies = build_studies(record[case], arrays[case])
        for name, figure in draw_case(case, studies, arrays[case]):
            yield folder / case / name, figure, _digest_files(folder)


def reduce_colours(path: Path) -> None:
    """Reduces a picture in place to at most `COLOURS` colours."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True, dpi=(DPI, DPI))


def digest_code(checkout: Path) -> str:
    """Returns the SHA-256 of the drawing code and style."""
    return _digest_paths(path for pattern in CODE for path in checkout.glob(pattern))


def digest_picture(path: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_numbers(path: Path) -> str:
    """Returns the SHA-256 of the numbers of a committed figure."""
    checkout = CHECKOUT
    if path.stem == "models":
        return _digest_rows(list_rows("alike", checkout))
    if path.stem == Path(NUMBERS).stem:
        return digest_picture(checkout / NUMBERS)
    if path.stem == MASK:
        return _digest_runs(path.parent)
    if path.stem == Path(CURVES).stem:
        return digest_picture(path.with_suffix(".csv"))
    return _digest_files(path.parents[1])


def _digest_rows(rows):
    drawn = ("paper", "pairs")
    return _digest(
        repr(
            [(r.label, r.by_seed("dev.accuracy"), *map(r.values, drawn)) for r in rows]
        )
    )


def _digest_runs(folder):
    return _digest_paths(folder / name for name in (RUNS, ANSWERS_FILE, ROWS_FILE))


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_paths(paths):
    return _digest("".join(digest_picture(path) for path in sorted(paths)))


def _digest_files(folder):
    suffixes = (".json", ".npz", ".csv")
    return _digest_paths(path for path in folder.iterdir() if path.suffix in suffixes)


def _draw_lengths(folder, name, title, row_kind):
    rows = _read_rows(folder / "lengths.csv", name)
    for row in rows:
        row["run"] = NAMES.get(row["run"], row["run"])
        row["pairs"] = int(row["pairs"])
        row |= {key: float(row[key] or "nan") for key in ("accuracy", "low", "high")}
    counts = _read_rows(folder / "counts.csv", name)
    tokens = [float(row["tokens"]) for row in counts]
    row_counts = [int(float(row["rows"])) for row in counts]
    lengths = np.repeat(tokens, row_counts)
    title = f"{title}, {len(lengths):,} {row_kind}"
    return draw_accuracy_by_length(lengths, rows, title, row_kind)


def _read_rows(path, study):
    rows = csv.DictReader(read_text(path).splitlines())
    return [row for row in rows if row.pop("study") == study]


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    record = {"code": digest_code(CHECKOUT), "figures": {}}
    for path, figure, numbers in draw_all(CHECKOUT):
        written = FigureFiles(dpi=DPI).write(figure, path.parent, path.name)
        reduce_colours(written)
        name = str(written.relative_to(CHECKOUT))
        picture = digest_picture(written)
        record["figures"][name] = {"numbers": numbers, "picture": picture}
    write_atomically(CHECKOUT / DIGESTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
