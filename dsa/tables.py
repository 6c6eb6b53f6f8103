"""The tables that `reproduce.py` makes: rows with their configs, measures, presets."""

import dataclasses

from dsa.errors import InputError
from dsa.paper import DISAN, DSA, paper_rows

SMALL = {  # vectors and lengths of training for everyone; partial files have no parses
    "embedding.path": "glove/glove.6B.50d.nli.txt",
    "embedding.units": 50,
    "embedding.projection": 300,
    "tokenizer.name": "treebank",
    "training.steps": None,
    "training.evaluate_every": None,
    "training.evaluate_from": 0,
}
SMALL_MULTINLI = {  # the partial train, and the 40,000 pairs of SNLI with it
    **SMALL,
    "data.mix.path": "snli_1.0/snli_1.0_train_40k.jsonl",
    "data.mix.share": 1.0,
    "training.epochs": 4,
}
PRESETS = {  # what is overridden, by corpus
    "full": {"snli": {}, "multinli": {}},
    "partial": {
        "snli": {**SMALL, "training.epochs": 5},
        "multinli": SMALL_MULTINLI,
    },
    "subset40k": {
        "snli": {
            **SMALL,
            "data.train": "snli_1.0/snli_1.0_train_40k.jsonl",
            "training.epochs": 4,
        },
        "multinli": SMALL_MULTINLI,
    },
}


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a table: its name, that of the paper where it has one, and the config
    that this project implements it with."""

    name: str
    config: str | None = None
    paper_name: str | None = None


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column of accuracies: the paper's split, and those of ours that stand for it,
    the first one that was evaluated. `compared`: whether the difference is a question
    of sampling, as it is not on training data."""

    name: str
    splits: tuple
    paper_split: str | None = None
    compared: bool = True


@dataclasses.dataclass(frozen=True)
class Table:
    """A table: the corpus of its configs, its rows and its measures; `source`, paper
    and table, where it is one of a paper."""

    title: str
    corpus: str
    rows: tuple
    measures: tuple
    source: tuple | None = None

    @property
    def splits(self):
        """The splits that its runs are evaluated on."""
        return tuple(dict.fromkeys(s for m in self.measures for s in m.splits))


TRAIN_AND_TEST = (
    Measure("train", ("train",), "train", compared=False),
    Measure("test", ("test", "dev"), "test"),
)


def _paper_table(title, corpus, source, configs, measures):
    models = dict.fromkeys(row["model"] for row in paper_rows(*source))
    rows = tuple(Row(model, configs.get(model), model) for model in models)
    return Table(title, corpus, rows, measures, source)


TABLES = {
    "dsa-1": _paper_table(
        "SNLI (Im & Cho 2017, Table 1)",
        "snli",
        (DSA, "Table 1"),
        {
            "Our self-attention network (without distance mask)": (
                "configs/snli/dsa_no_distance.yaml"
            ),
            "Our Distance-based Self-Attention Network": "configs/snli/dsa.yaml",
        },
        TRAIN_AND_TEST,
    ),
    "dsa-2": _paper_table(
        "MultiNLI (Im & Cho 2017, Table 2)",
        "multinli",
        (DSA, "Table 2"),
        {
            "Our Distance-based Self-Attention Network [SNLI mix: no]": (
                "configs/multinli/dsa.yaml"
            )
        },
        (
            Measure("matched", ("dev",), "test_matched (Kaggle)"),
            Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
        ),
    ),
    "disan-1": _paper_table(
        "SNLI (Shen et al. 2018, Table 1)",
        "snli",
        (DISAN, "Table 1"),
        {
            "Word Embedding with additive attention": (
                "configs/snli/additive_attention.yaml"
            ),
            "Word Embedding with s2t self-attention": "configs/snli/source2token.yaml",
            "Multi-head with s2t self-attention": "configs/snli/multi_head.yaml",
            "Bi-LSTM with s2t self-attention": "configs/snli/bilstm.yaml",
            "DiSAN without directions": "configs/snli/disan_no_directions.yaml",
            "Directional self-attention network (DiSAN)": "configs/snli/disan.yaml",
        },
        TRAIN_AND_TEST,
    ),
    "snli-models": Table(
        "Models on SNLI, each with its published optimizer",
        "snli",
        (
            Row("DSA", "configs/snli/dsa.yaml"),
            Row("DSA without distance mask", "configs/snli/dsa_no_distance.yaml"),
            Row("DiSAN", "configs/snli/disan.yaml"),
            Row("DiSAN without directions", "configs/snli/disan_no_directions.yaml"),
            Row("Bi-LSTM, source2token", "configs/snli/bilstm.yaml"),
            Row("multi-head, source2token", "configs/snli/multi_head.yaml"),
            Row("word vectors, source2token", "configs/snli/source2token.yaml"),
            Row("word vectors, additive", "configs/snli/additive_attention.yaml"),
        ),
        (Measure("dev", ("dev",)),),
    ),
    "dsa-ablations": Table(
        "Ablations of DSA on SNLI",
        "snli",
        (
            Row("alpha 0 (without distance mask)", "configs/snli/dsa_no_distance.yaml"),
            Row("alpha 0.5", "configs/snli/ablations/alpha_0.5.yaml"),
            Row("alpha 1", "configs/snli/ablations/alpha_1.0.yaml"),
            Row("DSA: alpha 1.5, projected gate, both", "configs/snli/dsa.yaml"),
            Row("alpha 2", "configs/snli/ablations/alpha_2.0.yaml"),
            Row("alpha 3", "configs/snli/ablations/alpha_3.0.yaml"),
            Row("gate over raw inputs", "configs/snli/ablations/gate_raw.yaml"),
            Row(
                "source2token pooling alone",
                "configs/snli/ablations/pooling_source2token.yaml",
            ),
            Row("max pooling alone", "configs/snli/ablations/pooling_max.yaml"),
        ),
        (Measure("dev", ("dev",)),),
    ),
}


def table_named(name):
    """Raises: `InputError` for an unknown table."""
    if name not in TABLES:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(TABLES)}")
    return TABLES[name]


def overrides_of(table, preset, seed):
    """The settings that a preset and a seed change in a table's configs."""
    return {**PRESETS[preset][table.corpus], "seed": seed}
