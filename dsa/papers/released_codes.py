"""What differs between the papers' released codes and the models here, with the
settings that make it differ."""

import dataclasses
import functools
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.storage.text_tables import markdown_table


@dataclasses.dataclass(frozen=True)
class Difference:
    """One thing that a released code does otherwise.

    Args:
        what: it is about.
        code: what the code does.
        setting: our setting that decides it, such as "model.dropout"; `None` where
            there is none.
        value: the setting's value that does as the code.
        here: what is done here, where there is no setting.
    """

    what: str
    code: str
    setting: str | None = None
    value: object = None
    here: str | None = None


@dataclasses.dataclass(frozen=True)
class ReleasedCode:
    """A released code beside configs of ours.

    Args:
        config: ours, below `configs/`.
        released: the config that does as the code as far as settings can; `None` for
            none.
        differences: a tuple of `Difference`.
    """

    config: str
    released: str | None
    differences: tuple[Difference, ...]


SPLITS = Difference(
    "dashes, slashes, quotes in a token",
    "it is split there once more, which leaves empty tokens",
    "tokenizer.extra_split",
    True,
)
BRACKETS = Difference(
    "brackets in a parse", "stay `-LRB-`", "tokenizer.keep_brackets", True
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
    "released-esim": ReleasedCode(
        "snli/esim.yaml",
        "snli/esim_released.yaml",
        (
            Difference(
                "tokens around a sentence",
                "`_BOS_` and `_EOS_`",
                "tokenizer.boundaries",
                ["_BOS_", "_EOS_"],
            ),
            BRACKETS,
            Difference(
                "look-up of a word",
                "only as it is written",
                "embedding.lookup",
                "exact",
            ),
            Difference("unknown words", "0.01 N(0, 1)", "embedding.random", "normal"),
            Difference("their scale", "0.01", "embedding.random_scale", 0.01),
            Difference(
                "first weights",
                "an orthogonal matrix for each gate, no forget bias, else 0.01 N(0, 1)",
                "model.initialization",
                "released",
            ),
            Difference(
                "dropout",
                "multiplies by the kept share when the model is used, not in training",
                "model.inverted_dropout",
                False,
            ),
            Difference(
                "longest sentence that is learned",
                "fewer than 100 tokens, `_BOS_` and `_EOS_` among them",
                "training.max_tokens",
                99,
            ),
            Difference(
                "an evaluation as good as the best",
                "the rate stays",
                here="the rate is halved",
            ),
            Difference(
                "batches",
                "by the hypothesis's length, in windows of 20 batches",
                here="by both lengths, over the whole epoch",
            ),
            Difference(
                "padding in max pooling",
                "enters as 0: an answer depends on its batch",
                here="never enters",
            ),
        ),
    ),
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
    "released-bcnn": ReleasedCode(
        "wikiqa/abcnn3.yaml",
        None,
        (
            Difference("what chooses epoch and classifier", "test", here="dev"),
            Difference("case of the words", "as written", "tokenizer.lowercase", False),
            Difference("tokens", "at white space", "tokenizer.name", "whitespace"),
            Difference(
                "order of the pairs",
                "that of the file",
                here="shuffled each epoch",
            ),
            Difference(
                "final classifier",
                "linear SVM, or linear regression",
                "model.final_classifier",
                "svm",
            ),
            Difference(
                "size of the attention in pooling",
                "shares that sum to 1",
                "model.attention_scale",
                "sum",
            ),
            Difference(
                "comparison of the word vectors",
                "of their sums",
                "model.input_pool",
                "sum",
            ),
            Difference(
                "diversity term", "0.01, for SICK only", "model.diversity", 0.01
            ),
            Difference(
                "position of a sentence in its padding",
                "its middle, so that a word's weight in `W_a` moves with the length",
                here="its start",
            ),
            Difference(
                "weights of words, ranges of lengths",
                "from test rows too",
                here="from train only",
            ),
            Difference(
                "equal scores", "in file order", here="the mean over their orders"
            ),
        ),
    ),
    "released-self-attentive": ReleasedCode(
        "snli/self_attentive_gated.yaml",
        None,
        (
            Difference(
                "penalty (paper: `published`)",
                "the mean square of an entry of `A^T A - I`, over pairs of tokens",
                "model.penalty_form",
                "released",
            ),
            Difference("its coefficient (paper: 0.3)", "0.1", "model.penalty", 0.1),
            Difference(
                "padding in the penalty",
                "counts: it depends on the batch's longest sentence",
                here="only a sentence's own tokens",
            ),
            Difference("features of a hop's map", "600", "model.relation_units", 600),
            Difference(
                "sums of AdaGrad",
                "begin at 0",
                "training.optimizer.initial_accumulator_value",
                0.0,
            ),
            Difference(
                "hidden layer of the attention",
                "has a bias",
                here="none, as in the paper",
            ),
            Difference(
                "first weights of the LSTM",
                "N(0, 0.1), no forget bias",
                here="Keras's own",
            ),
            Difference(
                "first weights of the hops' maps",
                "uniform up to sqrt(6 / (630 x 600)) = 0.004",
                here="uniform up to sqrt(6 / 1200) = 0.07",
            ),
            Difference("first state of the LSTM", "is learned", here="0"),
            Difference(
                "order of the pairs",
                "that of the file",
                here="shuffled each epoch",
            ),
        ),
    ),
    "released-williams": ReleasedCode(
        "multinli/cbow_williams.yaml",
        None,
        (
            Difference("first weights", "N(0, 0.1)", here="Keras's own"),
            Difference(
                "end of training",
                "by a rule on the rise of dev accuracy",
                "training.epochs",
                None,
            ),
            Difference(
                "accuracy",
                "the last, smaller batch counts as wrong",
                here="of all pairs",
            ),
        ),
    ),
}


def write_code_table(name, checkout):
    """What differs for one of `CODES`, as a Markdown table; our values are read from
    the configs.

    Args:
        name: of the code.
        checkout: the folder that holds `configs/`.

    Raises: `InputError` for a config of the released form whose setting is another one
        than the code's.
    """
    code = CODES[name]
    configs = [file for file in (code.config, code.released) if file]
    experiments = [load_experiment(Path(checkout, "configs", file)) for file in configs]
    lines = []
    for difference in code.differences:
        cells = [difference.here] * len(experiments)
        if difference.setting:
            values = [_read(e, difference.setting) for e in experiments]
            cells = [f"`{difference.setting}: {_write(value)}`" for value in values]
            if code.released and values[-1] != difference.value:
                raise InputError(
                    f"configs/{code.released}: '{difference.setting}' is {values[-1]}, "
                    f"in the released code {difference.value}"
                )
        lines.append([difference.what, difference.code, *cells])
    names = [f"`{Path(file).name}`" for file in configs]
    return markdown_table(["", "released code", *names], lines)


def _read(experiment, setting):
    return functools.reduce(getattr, setting.split("."), experiment)


def _write(value):
    """A value as in a YAML file."""
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value)
