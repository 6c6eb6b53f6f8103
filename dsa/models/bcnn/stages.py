"""Stages of layer-wise training.

The first stage trains the first block with an output layer. The second stage trains the
whole model with the first block frozen.

Reference: Yin et al. 2016, section 5.1.
"""

from dsa.models.classifiers.refit import refit_before_evaluation
from dsa.models.model_config import Stage

SHARED_SETTINGS = (  # settings that must be equal in both stages
    "name",
    "width",
    "filters",
    "input_pool",
    "share_copies",
    "all_ap",
    "attention_scale",
)


def list_stages(config):
    """Returns the training stages of a `BCNNBase`."""
    refit = refit_before_evaluation(config.final_classifier)
    if not config.is_layerwise:
        return [Stage(before_evaluation=refit)]
    changes = {
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


def copy_first_block(model, previous):
    """Copies the weights of the first block of each list of blocks.

    Args:
        model: the `BCNN` with two convolutions.
        previous: the trained `BCNN` with one convolution.
    """
    model.blocks[0].set_weights(previous.blocks[0].get_weights())
    if model.other_blocks:
        model.other_blocks[0].set_weights(previous.other_blocks[0].get_weights())


def check_first_block(finished, experiment):
    """Raises `ValueError` if a finished run cannot provide the first block.

    Args:
        finished: `Experiment` of the finished run.
        experiment: `Experiment` of the model with two blocks.
    """
    for name in SHARED_SETTINGS:
        received = getattr(finished.model, name, None)
        required = getattr(experiment.model, name, None)
        if received != required:
            raise ValueError(
                f"has '{name}: {received}', and this experiment '{name}: {required}'"
            )
    if finished.model.convolutions != 1:
        raise ValueError("has two convolutions, expected one")
    received = finished.features.nonoverlap
    required = experiment.features.nonoverlap
    if not finished.model.share_copies and received != required:
        raise ValueError(
            f"has 'features.nonoverlap: {received}', and this experiment {required}: "
            "with 'share_copies: false', each copy of the pair has its own first block"
        )
    for section in ("tokenizer", "embedding"):
        if getattr(finished, section) != getattr(experiment, section):
            raise ValueError(f"has different settings of '{section}'")
