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
TRAIN_AND_TEST = (
    Measure("train", ("train",), "train", compared=False),
    Measure("test", ("test", "dev"), "test"),
)
MULTINLI_TESTS = (
    Measure("matched", ("dev",), "test_matched (Kaggle)"),
    Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
)
