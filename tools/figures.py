"""Draw every figure of results/ again, from the numbers beside it.

    python -m tools.figures

Writes the figures and results/figures.json: the SHA-256 of the code that draws, and of
each figure's numbers and picture. Only results/page.png, a screenshot, is not drawn
here.
"""

import argparse
import csv
import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from dsa.analysis.case_study import draw_case_study
from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.map_views import AVERAGE, combine_views
from dsa.analysis.plots import draw_accuracy_by_length
from dsa.analysis.sheet import draw_sheet
from dsa.analysis.word_plots import draw_attention_maps, draw_feature_weights
from dsa.evaluation.study_answers import ANSWERS, ROWS
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.runs.studies import RUNS
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_json_object, read_text
from tools.cost_figure import NUMBERS, draw_cost
from tools.docs_tables.pivot import list_rows
from tools.mask_figure import EXPERIMENTS, draw_mask
from tools.results_figure import draw_models

CHECKOUT = Path(__file__).resolve().parents[1]
CODE = (
    "dsa/analysis/*.py",
    "dsa/analysis/*.mplstyle",
    "tools/*figure*.py",
    "tools/answered_models.py",
)
DIGESTS = "results/figures.json"
DPI = 150
CASES = "case_study"
MASK = "mask"  # the figure of the experiments on the distance mask
# what the runs are called in figures
NAMES = {
    "alpha 1.5": "with distance mask",
    "alpha 0": "without distance mask",
    "disan": "DiSAN",
    "dsa": "DSA",
    "esim": "ESIM",
    "aesim": "aESIM",
    "abcnn2": "ABCNN-2",
    "abcnn3": "ABCNN-3",
}
SINGLE = {  # figures that pages show one by one, instead of a sheet
    "market": ("attention", "words", "heads_forward_1", "heads_backward_1"),
    "longest_of_snli_dev": ("attention",),
}
FORWARD = "market"  # the case whose forward maps the README shows
COLOURS = 256  # of a picture, which makes its file a third as large
WORDS = {"disan_close": "close", "disan_glass": "glass"}
FILES = {  # titles: what the rows are
    "snli_dev": ("SNLI dev", "pairs"),
    "snli_models": ("SNLI dev", "pairs"),
    "multinli_dev_matched": ("MultiNLI dev, matched", "pairs"),
    "sst_dev": ("SST-5 dev", "sentences"),
}
MAPS = ("attention", "alignment", "match")  # ends of names, of words over words
SIDES = {  # the other text of a pair
    "premise": "hypothesis",
    "hypothesis": "premise",
    "question": "answer",
    "answer": "question",
}


def draw_all(checkout: Path) -> Iterator[tuple[Path, Figure, str]]:
    """Yields (path without ending, figure, digest of its numbers)."""
    results = checkout / "results"
    rows = list_rows("alike", checkout)
    yield results / "models", draw_models(rows), _digest_rows(rows)
    cost = checkout / NUMBERS
    yield cost.with_suffix(""), draw_cost(checkout), digest_picture(cost)
    mask = checkout / EXPERIMENTS
    yield mask / MASK, draw_mask(checkout), _digest_runs(mask)
    lengths = results / "lengths"
    for name, (title, what) in FILES.items():
        figure = _draw_lengths(lengths, name, title, what)
        yield lengths / name / "lengths", figure, _digest_files(lengths)
    folder = results / CASES
    record, arrays = read_cases(folder)
    for case in record:
        studies = build_studies(record[case], arrays[case])
        if case in SINGLE:
            shown = SINGLE[case]
            drawn = draw_case_study(studies)
            figures = [(name, figure) for name, figure in drawn if name in shown]
            if case == FORWARD:
                figures.append(("forward", _draw_forward(studies)))
        elif case in WORDS:
            figures = [("word", _draw_word(WORDS[case], studies, arrays[case]))]
        else:
            figures = [("sheet", draw_sheet(studies))]
        for name, figure in figures:
            yield folder / case / name, figure, _digest_files(folder)


def reduce_colours(path: Path) -> None:
    """Writes a picture again with at most `COLOURS` colours."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True, dpi=(DPI, DPI))


def digest_code(checkout: Path) -> str:
    """The SHA-256 of the code and the style that draw."""
    return _digest_paths(path for one in CODE for path in checkout.glob(one))


def digest_picture(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_numbers(path: Path) -> str:
    """The SHA-256 of the numbers that a committed figure is drawn from."""
    checkout = CHECKOUT
    if path.stem == "models":
        return _digest_rows(list_rows("alike", checkout))
    if path.stem == Path(NUMBERS).stem:
        return digest_picture(checkout / NUMBERS)
    if path.stem == MASK:
        return _digest_runs(path.parent)
    return _digest_files(path.parents[1])


def _digest_rows(rows):
    return _digest(repr([(r.label, r.by_seed("dev.accuracy")) for r in rows]))


def _digest_runs(folder):
    return _digest_paths(folder / name for name in (RUNS, ANSWERS, ROWS))


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_paths(paths):
    return _digest("".join(digest_picture(path) for path in sorted(paths)))


def _digest_files(folder):
    endings = (".json", ".npz", ".csv")
    return _digest_paths(path for path in folder.iterdir() if path.suffix in endings)


def _draw_lengths(folder, name, title, what):
    rows = _read_rows(folder / "lengths.csv", name)
    for row in rows:
        row["run"] = NAMES.get(row["run"], row["run"])
        row["pairs"] = int(row["pairs"])
        row |= {key: float(row[key] or "nan") for key in ("accuracy", "low", "high")}
    counts = _read_rows(folder / "counts.csv", name)
    tokens, number = ([float(row[key]) for row in counts] for key in ("tokens", "rows"))
    lengths = np.repeat(tokens, np.array(number, int))
    title = f"{title}, {len(lengths):,} {what}"
    return draw_accuracy_by_length(lengths, rows, title, what)


def _draw_forward(studies):
    """Draws the forward attention maps of a sentence, the mean over the heads, of each
    run beside each other."""
    views = combine_views({run: looks[""] for run, looks in studies.items()})
    (view,) = (view for name, view in views.items() if name.startswith(AVERAGE))
    ahead = "forward: "
    panels = {
        name.removeprefix(ahead): weights
        for name, weights in view.panels.items()
        if name.startswith(ahead)
    }
    return draw_attention_maps(dataclasses.replace(view, panels=panels))


def _draw_word(word, studies, arrays):
    """A word's pooling weights by feature, `<run>/<sentence>/word_features`."""
    ((run, sentences),) = studies.items()
    rows = {
        f"{name}: {' '.join(look.tokens[name])}": arrays[f"1/{name}/word_features"]
        for name, look in sentences.items()
    }
    return draw_feature_weights({run: rows}, f"source2token weights of '{word}'")


def _read_rows(path, study):
    rows = csv.DictReader(read_text(path).splitlines())
    return [row for row in rows if row.pop("study") == study]


def read_cases(folder: Path) -> tuple[dict[str, Any], dict[str, dict[str, np.ndarray]]]:
    """Reads numbers.json and maps.npz: the `case_study.json` and the arrays of each
    case study by its name."""
    record = read_json_object(folder / "numbers.json")
    arrays: dict[str, dict[str, np.ndarray]] = {case: {} for case in record}
    with np.load(folder / "maps.npz") as maps:
        for key, values in maps.items():
            case, _, name = key.partition("/")
            arrays[case][name] = values
    return record, arrays


def build_studies(
    record: dict[str, Any], arrays: dict[str, np.ndarray]
) -> dict[str, dict[str, Explanation]]:
    """Returns a case study as `{run name: {sentence name: Explanation}}`.

    Args:
        record: numbers by word, a value of the first result of `read_cases`.
        arrays: maps, a value of its second result.
    """
    studies = {}
    for number, (run, sentences) in enumerate(record.items(), start=1):
        name = NAMES.get(run, run)
        tokens = {key: one["tokens"] for key, one in sentences.items()}
        studies[name] = {
            sentence: _read_look(one, tokens, sentence, arrays, number)
            for sentence, one in sentences.items()
        }
    return studies


def _read_look(record, tokens, sentence, arrays, run):
    maps = [
        _name_words(key, np.array(numbers))
        for key, numbers in record.items()
        if key not in ("tokens", "unknown")
    ]
    begin = "/".join(filter(None, (str(run), sentence))) + "/"
    for key, values in arrays.items():
        if key.startswith(begin) and "/" not in key[len(begin) :]:
            maps += _name_map(key[len(begin) :], values, sentence, tokens)
    words = {sentence: tokens[sentence]}
    if sentence in SIDES:
        words[SIDES[sentence]] = tokens[SIDES[sentence]]
    look = Explanation.build(maps, words, unknown=record.get("unknown", ()))
    return look.of(sentence)


def _split_direction(name):
    what, _, end = name.rpartition("_")
    return (what, end) if end in ("forward", "backward") else (name, None)


def _name_words(name, numbers):
    """The `TokenMap` of numbers by word."""
    what, direction = _split_direction(name)
    label = what.replace("_", " ").replace("deactivated", "deactivated units")
    note = "1: the word, 0: its context" if what == "gate" else None
    return TokenMap(what, MapKind.TOKEN, numbers, direction, label=label, note=note)


def _name_map(name, values, sentence, tokens):
    """The `TokenMap` of weights of words over words, in a list; empty for another
    array."""
    what, direction = _split_direction(name)
    if not what.endswith(MAPS):
        return []
    by_head = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
    kind = by_head if values.ndim == len(by_head.axes) else MapKind.TOKEN_OVER_TOKEN
    over = None if direction else SIDES[sentence]
    window = len(values) - len(tokens[sentence]) + 1 if over else 1
    values = values.astype("float32")
    return [TokenMap(what, kind, values, direction, over=over, window=window)]


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
