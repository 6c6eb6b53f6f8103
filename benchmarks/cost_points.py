"""The measurements of `cost.py`, and the growth of their results."""

import dataclasses
import statistics

from train_step import FULL as LENGTHS


@dataclasses.dataclass(frozen=True)
class Point:
    """A measurement, in a process of its own.

    Args:
        work: "training", "evaluation", "encoding" or "preparation".
        rows: pairs of a step, of an evaluation or of a file; sentences of an encoding.
        lengths: tokens of the sentences of a row; none for preparation, whose sentences
            have many lengths.
        vocabulary: words with a vector.
    """

    work: str
    rows: int
    lengths: tuple[int, ...] = ()
    vocabulary: int = 0

    @property
    def name(self):
        """All that it is, as text."""
        texts = [self.work, f"{self.rows} rows"]
        if self.lengths:
            texts.append("+".join(map(str, self.lengths)) + " tokens a row")
            texts.append(f"vocabulary {self.vocabulary}")
        return ", ".join(texts)


@dataclasses.dataclass(frozen=True)
class Size:
    """Sizes of the measurements.

    Args:
        words: lengths of sentences, tokens.
        batches: pairs of a step.
        vocabularies: words with a vector.
        rows: pairs that are evaluated, or sentences that are encoded.
        pairs: of files that are prepared.
        batch, vocabulary: of a step, if they do not grow.
        trained: tokens of the steps that are timed together, approximately.
        read: evaluated or encoded tokens if lengths grow, approximately.
        invented: distinct words of the files.
    """

    words: tuple[int, ...] = (10, 20, 40, 80, 120, 200)
    batches: tuple[int, ...] = (16, 32, 64, 128, 256)
    vocabularies: tuple[int, ...] = (10_000, 40_000, 100_000, 400_000)
    rows: tuple[int, ...] = (500, 2_000, 8_000)
    pairs: tuple[int, ...] = (10_000, 40_000, 118_000, 550_000)
    batch: int = 64
    vocabulary: int = 40_000
    trained: int = 10_000
    read: int = 40_000
    invented: int = 42_000

    @property
    def usual_step(self):
        """The training step from which the epochs per day are computed."""
        return Point("training", self.batch, LENGTHS, self.vocabulary)


FULL = Size()
TINY = Size(
    words=(5, 10),
    batches=(4, 8),
    vocabularies=(1_000, 4_000),
    rows=(32, 64),
    pairs=(200, 400),
    batch=8,
    vocabulary=4_000,
    trained=100,
    read=200,
    invented=100,
)
TIME_OF = {  # unit of work to which the seconds of a series refer
    "training, words": "a step",
    "training, batch": "a step",
    "training, vocabulary": "a step",
    "evaluation, words": "a pair",
    "evaluation, rows": "in all",
    "encoding, words": "a sentence",
    "encoding, rows": "in all",
    "preparation, pairs": "in all",
}
OF_A_ROW = ("a pair", "a sentence")


def list_series(size):
    """Returns the points of each series of `TIME_OF`: `{name: {size: Point}}`."""
    step, known = size.usual_step, size.vocabulary
    return {
        "training, words": {
            n: dataclasses.replace(step, lengths=(n, n)) for n in size.words
        },
        "training, batch": {n: dataclasses.replace(step, rows=n) for n in size.batches},
        "training, vocabulary": {
            n: dataclasses.replace(step, vocabulary=n) for n in size.vocabularies
        },
        "evaluation, words": {
            n: Point("evaluation", size.read // (2 * n), (n, n), known)
            for n in size.words
        },
        "evaluation, rows": {
            n: Point("evaluation", n, LENGTHS, known) for n in size.rows
        },
        "encoding, words": {
            n: Point("encoding", size.read // n, (n,), known) for n in size.words
        },
        "encoding, rows": {
            n: Point("encoding", n, LENGTHS[:1], known) for n in size.rows
        },
        "preparation, pairs": {n: Point("preparation", n) for n in size.pairs},
    }


def summarize(name, points, figures):
    """The medians of a series, and how they grow.

    Args:
        name: of the series.
        points: `{what grows: Point}`.
        figures: of `measuring.run_in_turn`.
    """
    of_points = [figures[point.name] for point in points.values()]
    totals, tokens, memory = (
        [statistics.median(each[figure]) for each in of_points]
        for figure in ("seconds", "tokens", "peak_memory_bytes")
    )
    seconds = totals
    if TIME_OF[name] in OF_A_ROW:
        rows = (point.rows for point in points.values())
        seconds = [total / n for total, n in zip(totals, rows, strict=True)]
    return {
        "time_of": TIME_OF[name],
        "sizes": list(points),
        "seconds": seconds,
        "microseconds_a_token": [
            1e6 * total / n for total, n in zip(totals, tokens, strict=True)
        ],
        "memory_bytes": memory,
        "time_growth": describe_growth(list(points), seconds),
        "memory_growth": describe_growth(list(points), memory),
    }


def describe_growth(sizes, values):
    """The exponent over all sizes, and that between the two largest."""
    return {
        "exponent": round(fit_exponent(sizes, values), 4),
        "exponent_at_the_end": round(fit_exponent(sizes[-2:], values[-2:]), 4),
    }


def fit_exponent(sizes, values):
    """b of `values ~ sizes ** b`, by least squares of the logarithms."""
    import numpy as np

    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def describe_step(figures):
    """Returns the medians of the usual training step, to compute a day."""
    names = (
        "pairs_per_second",
        "operations_a_pair",
        "matrix_product_operations_per_second",
        "share_of_matrix_product_rate",
    )
    return {name: statistics.median(figures[name]) for name in names}
