"""Settings of the baselines for sentence pairs (Yin et al. 2016, arXiv:1512.05193,
section 5).

Only the size of A-LSTM is published; its L2 coefficient is that of ABCNN-2. Does not
import Keras.
"""

from typing import TYPE_CHECKING, ClassVar, Literal

from dsa.config_section import NonNegativeNumber, Units, setting
from dsa.models.classifiers.config import FINAL_CLASSIFIER, FinalClassifier
from dsa.models.classifiers.refit import refit_before_evaluation
from dsa.models.model_config import ModelConfig, ModelParts, Stage

if TYPE_CHECKING:
    from dsa.models.pair_baselines.networks import ALSTM, Addition
    from dsa.models.pair_baselines.pair_features import PairFeatureClassifier


class AdditionConfig(ModelConfig):
    """Settings of `addition`: a linear classifier over `features` and, for each
    sentence, the sum of its word vectors. The classifier is refitted to all training
    rows before each evaluation, so one training step is sufficient."""

    name: Literal["addition"]
    final_classifier: FinalClassifier = setting("logistic", FINAL_CLASSIFIER)

    def stages(self) -> list[Stage]:
        return [Stage(before_evaluation=refit_before_evaluation(self.final_classifier))]


class ALSTMConfig(ModelConfig):
    """Settings of `alstm`: an LSTM over the first sentence, a second LSTM over the
    second sentence that starts from the final cell of the first, and attention over the
    states of the first LSTM (Rocktäschel et al. 2016, arXiv:1509.06664)."""

    name: Literal["alstm"]
    units: Units = setting(50, "Number of units of each LSTM.")
    l2: NonNegativeNumber = setting(
        3e-4,
        "Coefficient of the L2 penalty in the loss, the sum of squares of the trained "
        "matrices.",
    )
    final_classifier: FinalClassifier = setting("network", FINAL_CLASSIFIER)

    def stages(self) -> list[Stage]:
        return [Stage(before_evaluation=refit_before_evaluation(self.final_classifier))]


class PairFeaturesConfig(ModelConfig):
    """Settings of `pair_features`: a linear classifier over `features` only. Without
    features, it predicts the majority label."""

    name: Literal["pair_features"]
    final_classifier: Literal["logistic", "svm"] = setting(
        "logistic",
        "`logistic` for logistic regression, `svm` for a linear SVM, both with the "
        "defaults of scikit-learn except for the maximum number of iterations.",
    )
    C_values: ClassVar[tuple[float, ...]] = (1.0,)


def build_addition(config: AdditionConfig, parts: ModelParts) -> "Addition":
    """Builds the model `Addition` with its weights."""
    from dsa.models.pair_baselines.networks import Addition

    model = Addition(
        parts.word_embedding(),
        parts.copies[0],
        parts.task.outputs,
        word_units=parts.embedding.output_units,
        features=parts.features,
        classifier=config.final_classifier,
        dtype=parts.dtype,
        name="addition",
    )
    model.build()
    return model


def build_alstm(config: ALSTMConfig, parts: ModelParts) -> "ALSTM":
    """Builds the model `ALSTM` with its weights."""
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


def build_pair_features(
    config: PairFeaturesConfig, parts: ModelParts
) -> "PairFeatureClassifier":
    """Builds the `PairFeatureClassifier`, without weights."""
    from dsa.models.pair_baselines.pair_features import PairFeatureClassifier

    return PairFeatureClassifier(parts.features, parts.task.outputs)
