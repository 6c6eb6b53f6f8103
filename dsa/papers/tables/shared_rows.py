"""Rows, columns and settings that several files of tables use."""

from dsa.papers.table import Measure, Row

NO_PROJECTION = {"embedding.projection": None}  # an LSTM takes vectors of any size
NO_VECTORS = {
    "embedding.path": None,
    "embedding.projection": None,
    "embedding.trainable": True,
}
FEATURES = Row("features", "configs/snli/features.yaml", NO_VECTORS)
UNLEXICALISED = Row(
    "unlexicalised features",
    "configs/snli/features.yaml",
    {**NO_VECTORS, "model.lexical": False},
)
BOWMAN = (
    UNLEXICALISED.rename("Unlexicalized features (Bowman et al. 2015)"),
    FEATURES.rename("+ Unigram and bigram features (Bowman et al. 2015)"),
)
DSA_OPTIMIZER = {
    "training.optimizer": {"name": "adam"},
    "training.learning_rate": 1e-3,
}
DSA_TRAINING = {
    **DSA_OPTIMIZER,
    "training.schedule": {"name": "constant"},
    "training.clip_norm": None,
    "training.batch_size": 64,
    "embedding.trainable": False,
    "model.dropout": 0.1,
}
AS_DSA = "that architecture, trained as DSA"


def make_recurrent_rows(vendrov):
    """Rows of Table 1 in two papers: encoders of others, trained as DSA.

    Args:
        vendrov: the year that the paper names for the GRU.
    """
    lstm = "configs/snli/lstm.yaml"
    return tuple(
        Row(name, config, overrides, stand_in=AS_DSA)
        for name, config, overrides in (
            ("100D LSTM encoders (Bowman et al. 2015)", lstm, {"model.units": 100}),
            ("300D LSTM encoders (Bowman et al. 2016)", lstm, {}),
            (
                f"1024D GRU encoders (Vendrov et al. {vendrov})",
                "configs/snli/gru.yaml",
                {},
            ),
            (
                "600D Bi-LSTM encoders (Liu et al. 2016)",
                "configs/snli/bilstm_mean.yaml",
                {},
            ),
            (
                "600D Bi-LSTM encoders + intra-attention (Liu et al. 2016)",
                "configs/snli/bilstm_inner.yaml",
                {},
            ),
        )
    )


TRAIN_AND_TEST = (
    Measure("train", ("train",), "train", compared=False),
    Measure("test", ("test", "dev"), "test"),
)
MULTINLI_TESTS = (
    Measure("matched", ("dev",), "test_matched (Kaggle)"),
    Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
)
