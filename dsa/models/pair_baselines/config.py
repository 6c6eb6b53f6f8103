"""Settings of the baselines for sentence pairs (Yin et al. 2016, arXiv:1512.05193,
section 5.2), with the published defaults. Does not import Keras."""

from typing import ClassVar, Literal

from dsa.config_section import NonNegativeNumber, Units, setting
from dsa.models.classifiers.config import FINAL_CLASSIFIER, FinalClassifier
from dsa.models.classifiers.refit import refit_before_evaluation
from dsa.models.model_config import ModelConfig, Stage


class AdditionConfig(ModelConfig):
    """Settings of `addition`: a linear classifier over the sums of the word vectors of
    each sentence, and over `features`. One training step is sufficient, since the
    classifier is refitted to all training rows."""

    name: Literal["addition"]
    final_classifier: FinalClassifier = setting("logistic", FINAL_CLASSIFIER)

    def stages(self):
        return [Stage(before_evaluation=refit_before_evaluation(self.final_classifier))]


class ALSTMConfig(ModelConfig):
    """Settings of `alstm`: an LSTM over the second sentence, which continues the LSTM
    over the first sentence and attends to its states (Rocktäschel et al. 2016,
    arXiv:1509.06664)."""

    name: Literal["alstm"]
    units: Units = setting(50, "Units of both LSTMs.")
    l2: NonNegativeNumber = setting(
        3e-4,
        "Weight decay: the loss includes this times the sum of squares of the trained "
        "matrices.",
    )
    final_classifier: FinalClassifier = setting("network", FINAL_CLASSIFIER)

    def stages(self):
        return [Stage(before_evaluation=refit_before_evaluation(self.final_classifier))]


class PairFeaturesConfig(ModelConfig):
    """Settings of `pair_features`: a linear classifier over `features` only. Without
    features, it predicts the majority label."""

    name: Literal["pair_features"]
    final_classifier: Literal["logistic", "svm"] = setting(
        "logistic", "Logistic regression or linear SVM, with scikit-learn's defaults."
    )
    strengths: ClassVar[tuple[float, ...]] = (1.0,)


def build_addition(config, parts):
    """Builds the `Addition` of an `AdditionConfig` and creates its weights."""
    from dsa.models.pair_baselines.networks import Addition

    model = Addition(
        parts.word_embedding(),
        parts.copies[0],
        parts.task.outputs,
        units=parts.embedding.output_units,
        features=parts.features,
        classifier=config.final_classifier,
        dtype=parts.dtype,
        name="addition",
    )
    model.build()
    return model


def build_alstm(config, parts):
    """Builds the `ALSTM` of an `ALSTMConfig` and creates its weights."""
    from dsa.models.pair_baselines.networks import ALSTM

    model = ALSTM(
        parts.word_embedding(),
        parts.copies[0],
        parts.task.outputs,
        word_units=parts.embedding.output_units,
        units=config.units,
        features=parts.features,
        classifier=config.final_classifier,
        l2=config.l2,
        dtype=parts.dtype,
        name="alstm",
    )
    model.build()
    return model


def build_pair_features(config, parts):
    """Builds an unfitted `PairFeatureClassifier`."""
    from dsa.models.pair_baselines.pair_features import PairFeatureClassifier

    return PairFeatureClassifier(parts.features, parts.task.outputs)
