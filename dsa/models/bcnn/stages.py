"""The stages of a layer-wise training: the first block with a last layer of its own,
and then the whole model, whose first block is frozen.

Reference: Yin et al. 2016, section 5.1.
"""

from dsa.models.classifiers.refit import refit_before_evaluation
from dsa.models.model_config import Stage

SAME_SETTINGS = (  # of both stages
    "name",
    "width",
    "filters",
    "input_pool",
    "share_copies",
    "all_ap",
    "attention_scale",
)


def list_stages(config):
    """The stages of a `BCNNBase`: the first block, where it is trained before, and the
    whole model."""
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
    first = Stage(
        folder="first",
        changes=changes,
        setting="model.first",
        finished_run=config.first,
        check_run=check_first_block,
        before_evaluation=refit,
    )
    return [first, Stage(begin=copy_first_block, before_evaluation=refit)]


def copy_first_block(model, earlier):
    """Gives the first block of a `BCNN`, and that of a second copy that has its own,
    the weights of an earlier one, which has one block and the same settings."""
    for name in ("blocks", "other_blocks"):
        if blocks := getattr(model, name):
            blocks[0].set_weights(getattr(earlier, name)[0].get_weights())


def check_first_block(earlier, experiment):
    """Raises `ValueError` if the first block of a finished run, with the `Experiment`
    `earlier`, is not one of this experiment's model."""
    for name in SAME_SETTINGS:
        given, needed = (getattr(e.model, name, None) for e in (earlier, experiment))
        if given != needed:
            raise ValueError(
                f"has '{name}: {given}', and this experiment '{name}: {needed}'"
            )
    if earlier.model.convolutions != 1:
        raise ValueError("has two convolutions, not one")
    given, needed = (e.features.nonoverlap for e in (earlier, experiment))
    if not earlier.model.share_copies and given != needed:
        raise ValueError(
            f"has 'features.nonoverlap: {given}', and this experiment {needed}: with "
            "'share_copies: false' each copy of the pair has a first block of its own"
        )
    for section in ("tokenizer", "embedding"):
        if getattr(earlier, section) != getattr(experiment, section):
            raise ValueError(f"has other settings of '{section}'")
