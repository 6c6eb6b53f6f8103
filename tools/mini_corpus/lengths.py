"""Generate test files with premises longer than the training premises.

    python tools/mini_corpus/lengths.py --out data/mini_lengths --seed 36

`train` and `dev` are the short pairs of the bundled corpus (premises up to 24 words).
`short`, `long` and `longer` are new test files of 3,000 pairs each, with premises of up
to 24, 25 to 60 and 61 to 120 words, drawn with `--seed`. As in the bundled test file,
every sentence contains a word combination that is absent from train.
"""

import gzip
import json

from generate import (
    BUNDLED,
    WORDS,
    draw_rows,
    number_rows,
    read_options,
    write_rows,
)

FOLDER = "mini_lengths"  # next to the bundled corpus
TRIPLES = 1000  # per length


def short_rows(split):
    """Returns the rows of a bundled split with short premises."""
    with gzip.open(BUNDLED / f"{split}.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["genre"] == "short"]


def draw_length(seed, genre, triples):
    """Draws numbered rows with premises of one length."""
    rows = draw_rows(f"{seed}-{genre}", "test", [genre] * triples)
    return number_rows(rows, genre)


def main(arguments=None):
    options = read_options(arguments, __doc__, out=BUNDLED.with_name(FOLDER), seed=36)
    for split in ("train", "dev"):
        write_rows(options.out, split, short_rows(split))
    for genre in WORDS:
        write_rows(options.out, genre, draw_length(options.seed, genre, TRIPLES))


if __name__ == "__main__":
    main()
