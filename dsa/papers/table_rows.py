"""Rows, columns and settings that several files of tables use."""

from dsa.papers.paper_table import Measure, Row

NO_PROJECTION = {"embedding.projection": None}  # an LSTM takes vectors of any size
NO_VECTORS = {
    "embedding.path": None,
    "embedding.projection": None,
    "embedding.trainable": True,
}
UNLEXICALISED = {**NO_VECTORS, "model.lexical": False}
DSA_OPTIMIZER = {"training.optimizer": {"name": "adam"}, "training.learning_rate": 1e-3}
DSA_TRAINING = {
    **DSA_OPTIMIZER,
    "training.schedule": {"name": "constant"},
    "training.clip_norm": None,
    "training.batch_size": 64,
    "embedding.trainable": False,
    "model.dropout": 0.1,
}
AS_DSA = (
    "a network of that kind with other sizes and no layers around it, trained as DSA"
)
TRAIN_AND_TEST = (
    Measure("train", ("train",), "train", compared=False),
    Measure("test", ("test", "dev"), "test"),
)
MULTINLI_TESTS = (
    Measure("matched", ("dev",), "test_matched (Kaggle)"),
    Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
)


def make_rows(corpus: str, *rows, stand_in: str | None = None) -> tuple[Row, ...]:
    """Returns the rows of configs of one corpus.

    Args:
        corpus: the folder below `configs/`.
        rows: name, name of the config and, where there are any, overrides of each.
        stand_in: see `Row`.
    """
    return tuple(
        Row(name, f"configs/{corpus}/{config}.yaml", *overrides, stand_in=stand_in)
        for name, config, *overrides in rows
    )


BOWMAN = make_rows(
    "snli",
    ("Unlexicalized features (Bowman et al. 2015)", "features", UNLEXICALISED),
    ("+ Unigram and bigram features (Bowman et al. 2015)", "features", NO_VECTORS),
)


def make_recurrent_rows(vendrov: int) -> tuple[Row, ...]:
    """Returns rows of Table 1 in two papers: encoders of others, trained as DSA.

    Args:
        vendrov: the year that the paper names for the GRU.
    """
    liu = "600D Bi-LSTM encoders{} (Liu et al. 2016)"
    return make_rows(
        "snli",
        ("100D LSTM encoders (Bowman et al. 2015)", "lstm", {"model.units": 100}),
        ("300D LSTM encoders (Bowman et al. 2016)", "lstm"),
        (f"1024D GRU encoders (Vendrov et al. {vendrov})", "gru"),
        (liu.format(""), "bilstm_mean"),
        (liu.format(" + intra-attention"), "bilstm_inner"),
        stand_in=AS_DSA,
    )
