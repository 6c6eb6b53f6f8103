"""Points and series of `cost.py`, and exponents of growth."""

import dataclasses
import statistics

from train_step import FULL as LENGTHS


@dataclasses.dataclass(frozen=True)
class Point:
    """A measurement in a separate process.

    Args:
        work: "training", "evaluation", "encoding" or "preparation".
        rows: number of pairs of a training step, an evaluation or a file, or of encoded
            sentences.
        lengths: number of tokens of each sentence of a row; empty for preparation, in
            which the sentences have different lengths.
        vocabulary: number of words with a vector.
    """

    work: str
    rows: int
    lengths: tuple[int, ...] = ()
    vocabulary: int = 0

    @property
    def name(self):
        """Unique name with all settings of the point."""
        texts = [self.work, f"{self.rows} rows"]
        if self.lengths:
            texts.append("+".join(map(str, self.lengths)) + " tokens a row")
            texts.append(f"vocabulary {self.vocabulary}")
        return ", ".join(texts)


@dataclasses.dataclass(frozen=True)
class Size:
    """Sizes of the measurements.

    Args:
        words: lengths of the sentences, in tokens.
        batches: batch sizes of a training step, in pairs.
        vocabularies: numbers of words with a vector.
        rows: numbers of evaluated pairs or encoded sentences.
        pairs: numbers of pairs of the prepared files.
        batch: batch size in the series of other quantities.
        vocabulary: vocabulary size in the series of other quantities.
        trained: approximate number of tokens of the steps that are timed together.
        read: approximate number of evaluated or encoded tokens in the series of
            lengths.
        invented: number of distinct words of the files.
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
TIME_OF = {  # unit of work of the seconds of each series
    "training, words": "a step",
    "training, batch": "a step",
    "training, vocabulary": "a step",
    "evaluation, words": "a pair",
    "evaluation, rows": "in all",
    "encoding, words": "a sentence",
    "encoding, rows": "in all",
    "preparation, pairs": "in all",
}
ROW_UNITS = ("a pair", "a sentence")


def list_series(size):
    """Returns the points of each series of `TIME_OF`: `{name: {size: Point}}`."""
    step, vocabulary = size.usual_step, size.vocabulary
    return {
        "training, words": {
            n: dataclasses.replace(step, lengths=(n, n)) for n in size.words
        },
        "training, batch": {n: dataclasses.replace(step, rows=n) for n in size.batches},
        "training, vocabulary": {
            n: dataclasses.replace(step, vocabulary=n) for n in size.vocabularies
        },
        "evaluation, words": {
            n: Point("evaluation", size.read // (2 * n), (n, n), vocabulary)
            for n in size.words
        },
        "evaluation, rows": {
            n: Point("evaluation", n, LENGTHS, vocabulary) for n in size.rows
        },
        "encoding, words": {
            n: Point("encoding", size.read // n, (n,), vocabulary) for n in size.words
        },
        "encoding, rows": {
            n: Point("encoding", n, LENGTHS[:1], vocabulary) for n in size.rows
        },
        "preparation, pairs": {n: Point("preparation", n) for n in size.pairs},
    }


def summarize(name, points, figures):
    """Computes the medians of a series and their growth.

    Args:
        name: name of the series.
        points: the points of the series, `{size: Point}`.
        figures: figures of all points, as from `measuring.run_in_turn`.

    Returns: a dictionary for the record.
    """

    def list_medians(figure):
        return [
            statistics.median(figures[point.name][figure]) for point in points.values()
        ]

    totals = list_medians("seconds")
    tokens = list_medians("tokens")
    memory = list_medians("peak_memory_bytes")
    seconds = totals
    if TIME_OF[name] in ROW_UNITS:
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
    """Returns the exponents over all sizes and over the two largest sizes."""
    return {
        "exponent": round(fit_exponent(sizes, values), 4),
        "exponent_at_the_end": round(fit_exponent(sizes[-2:], values[-2:]), 4),
    }


def fit_exponent(sizes, values):
    """Returns b of `values ~ sizes ** b`, a least-squares fit of the logarithms."""
    import numpy as np

    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def describe_step(figures):
    """Returns the medians of the usual training step, for the epochs per day."""
    names = (
        "pairs_per_second",
        "operations_a_pair",
        "matrix_product_operations_per_second",
        "share_of_matrix_product_rate",
    )
    return {name: statistics.median(figures[name]) for name in names}
