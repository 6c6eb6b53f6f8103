"""Stages of layer-wise training.

With layer-wise training, the first stage trains the first block with an output layer,
and the second stage trains the whole model with the first block frozen. Otherwise,
there is a single stage.

Reference: Yin et al. 2016, section 5, "Layerwise Training".
"""

from typing import TYPE_CHECKING, Any

from dsa.models.classifiers.refit import refit_before_evaluation
from dsa.models.model_config import Stage

if TYPE_CHECKING:
    from dsa.models.bcnn.config import BCNNBase

SHARED_SETTINGS = (  # settings that must be equal in both stages
    "name",
    "width",
    "filters",
    "input_pool",
    "share_copies",
    "all_ap",
    "attention_scale",
)


def list_stages(config: "BCNNBase") -> list[Stage]:
    """Returns the training stages of a model.

    Args:
        config: the `model` section.
    """
    refit = refit_before_evaluation(config.final_classifier)
    if not config.is_layerwise:
        return [Stage(before_evaluation=refit)]
    # the settings of the first block become the settings of the model in its stage
    changes: dict[str, Any] = {
        "model.convolutions": 1,
        "model.first_learning_rate": None,
        "model.first_l2": None,
    }
    if config.first_l2 is not None:
        changes["model.l2"] = config.first_l2
    if config.first_learning_rate is not None:
        changes["training.learning_rate"] = config.first_learning_rate
    return [
        Stage(
            folder="first",
            changes=changes,
            setting="model.first",
            finished_run=config.first,
            check_run=check_first_block,
            before_evaluation=refit,
        ),
        Stage(begin=copy_first_block, before_evaluation=refit),
    ]


def copy_first_block(model: Any, previous: Any) -> None:
    """Copies the weights of the first block. If the model has separate blocks for
    sentences without common words, also copies the first of these blocks.

    Args:
        model: the `BCNN` with two convolutions.
        previous: the trained `BCNN` with one convolution.
    """
    model.blocks[0].set_weights(previous.blocks[0].get_weights())
    if model.other_blocks:
        model.other_blocks[0].set_weights(previous.other_blocks[0].get_weights())


def check_first_block(finished_experiment: Any, experiment: Any) -> None:
    """Raises `ValueError` if a finished run cannot provide the first block.

    Args:
        finished_experiment: `Experiment` of the finished run.
        experiment: `Experiment` of the model with two blocks.
    """
    for name in SHARED_SETTINGS:
        received = getattr(finished_experiment.model, name, None)
        required = getattr(experiment.model, name, None)
        if received != required:
            raise ValueError(
                f"has 'model.{name}: {received}', but this experiment has "
                f"'model.{name}: {required}'"
            )
    if finished_experiment.model.convolutions != 1:
        raise ValueError("has two convolutions, expected one")
    received = finished_experiment.features.nonoverlap
    required = experiment.features.nonoverlap
    if not finished_experiment.model.share_copies and received != required:
        raise ValueError(
            f"has 'features.nonoverlap: {received}', but this experiment has "
            f"'features.nonoverlap: {required}'. With 'model.share_copies: false', the "
            "pair without common words has its own first block, so both runs must have "
            "the same 'features.nonoverlap'"
        )
    for section in ("tokenizer", "embedding"):
        if getattr(finished_experiment, section) != getattr(experiment, section):
            raise ValueError(f"has different settings of '{section}'")
