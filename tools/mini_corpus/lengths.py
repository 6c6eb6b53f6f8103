"""Write the files on which a model meets longer premises than it was trained on.

    python tools/mini_corpus/lengths.py --out data/mini_lengths --seed 36

`train` and `dev` are the short pairs of the bundled corpus (premises up to 24 words).
`short`, `long` and `longer` are new test files of 3,000 pairs each, with premises of up
to 24, of 25 to 60 and of 61 to 120 words, drawn with `--seed`. As in the bundled test
file, each of their sentences has a combination of words that train never shows.
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

FOLDER = "mini_lengths"  # beside the bundled corpus
TRIPLES = 1000  # of each length


def short_rows(split):
    """The rows of a bundled split whose premises are short."""
    with gzip.open(BUNDLED / f"{split}.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["genre"] == "short"]


def draw_length(seed, genre, triples):
    """New rows of one length, numbered."""
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
