"""The released codes of DiSAN and of its multi-head baseline (Shen et al. 2018,
arXiv:1709.04696)."""

from dsa.papers.released.difference import BRACKETS, Difference, ReleasedCode

SPLITS = Difference(
    "dashes, slashes, quotes in a token",
    "it is split there once more, which leaves empty tokens",
    "tokenizer.extra_split",
    True,
)
LONG_PAIRS = Difference(
    "longest sentence that is learned",
    "as long as 97 % of them",
    "training.max_tokens",
    "percentile 97",
)
RANDOM_BATCHES = Difference("batches", "of random pairs", "training.by_length", False)
ADADELTA = Difference(
    "Adadelta on word vectors",
    "changes those of a batch's words only",
    here="the accumulators of all others decay too",
)
LAST_BATCH = Difference(
    "end of an epoch",
    "its last batch is filled from the next epoch",
    here="its last batch is smaller",
)

CODES = {
    "released-disan": ReleasedCode(
        "snli/disan.yaml",
        "snli/disan_released.yaml",
        (SPLITS, BRACKETS, LONG_PAIRS, RANDOM_BATCHES, ADADELTA, LAST_BATCH),
    ),
    "released-multi-head": ReleasedCode(
        "snli/multi_head.yaml",
        "snli/multi_head_released.yaml",
        (
            Difference(
                "positions",
                "sine and cosine by turns, twice as steep as Vaswani et al.'s",
                "model.positions",
                "alternating",
            ),
            Difference(
                "first weights",
                "one variable [3, 8, 300, 75], a third of the size",
                "model.initialization",
                "released",
            ),
            SPLITS,
            BRACKETS,
            LONG_PAIRS,
            RANDOM_BATCHES,
            Difference(
                "dropout of the heads' inputs",
                "a mask for each map of each head",
                here="one mask for all",
            ),
            ADADELTA,
            LAST_BATCH,
        ),
    ),
    "released-disan-sst": ReleasedCode(
        "sst/disan.yaml",
        "sst/disan_released.yaml",
        (
            Difference("dropped share (paper: .2)", "0.3", "model.dropout", 0.3),
            Difference(
                "the same, hidden layer", "0.3", "model.classifier.dropout", 0.3
            ),
            Difference(
                "the same, classifier's input",
                "0.3",
                "model.classifier.input_dropout",
                0.3,
            ),
            Difference(
                "unknown words (paper: uniform)",
                "N(0, 1)",
                "embedding.random",
                "normal",
            ),
            Difference("their scale", "1", "embedding.random_scale", 1.0),
            Difference("last layer", "has no bias", here="has one"),
        ),
    ),
}
