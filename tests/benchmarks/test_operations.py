import numpy as np
import pytest

from benchmarks.operations import encoding_operations, training_operations
from dsa.experiment.config import Experiment
from dsa.models.building import build_model
from tests.support.runs import SETTINGS

PREMISE, HYPOTHESIS = np.array([3, 11, 7]), np.array([5, 2, 13])
INPUTS = {
    "query",
    "key",
    "value",
    "token_projection",
}  # maps of the word vectors themselves
VECTORS = {"path": "v.txt", "units": 5, "trainable": False}


@pytest.mark.slow
@pytest.mark.parametrize(
    "embedding, of_inputs, of_projection",
    [  # products a training step: forward, and the gradients that are needed
        ({"units": 8, "trainable": True}, 3, 0),
        (VECTORS, 2, 0),
        ({**VECTORS, "projection": 7}, 3, 2),
    ],
)
def test_each_kernel_of_the_model_is_counted(embedding, of_inputs, of_projection):
    experiment = Experiment.model_validate({**SETTINGS, "embedding": embedding})
    model = build_model(experiment, vocabulary_size=11)
    tokens = PREMISE.sum() + HYPOTHESIS.sum()
    multiply_adds = 0
    for weight in model.trainable_weights:
        parts = weight.path.split("/")
        if parts[-1] != "kernel" or "embedding" in parts:
            continue
        rows = tokens if "encoder" in parts else len(PREMISE)
        products = of_inputs if set(parts) & INPUTS else 3
        multiply_adds += products * rows * int(np.prod(weight.shape))
    lengths = np.concatenate([PREMISE, HYPOTHESIS]).astype(float)
    units, directions = experiment.model.units, 2
    multiply_adds += 3 * directions * 2 * (lengths**2).sum() * units
    if of_projection:
        multiply_adds += of_projection * tokens * 5 * 7
    counted = training_operations(experiment, PREMISE, HYPOTHESIS)
    assert counted == pytest.approx(2 * multiply_adds, rel=1e-12)


@pytest.mark.parametrize("name, alignments", [("disan", 0), ("esim", 3)])
@pytest.mark.parametrize(
    "embedding, of_projection",
    [({"units": 8, "trainable": True}, 0), ({**VECTORS, "projection": 7}, 2)],
)
def test_each_kernel_of_the_other_models_is_counted(
    name, alignments, embedding, of_projection
):
    model = {"name": name, "units": 8}
    experiment = Experiment.model_validate(
        {**SETTINGS, "model": model, "embedding": embedding}
    )
    tokens, multiply_adds = PREMISE.sum() + HYPOTHESIS.sum(), 0
    for weight in build_model(experiment, vocabulary_size=11).trainable_weights:
        parts = weight.path.split("/")
        if not parts[-1].endswith("kernel") or "embedding" in parts:
            continue
        a_pair = {"hidden", "logits"} & set(parts) and "encoder" not in parts
        rows = len(PREMISE) if a_pair else tokens
        multiply_adds += 3 * rows * int(np.prod(weight.shape))
    multiply_adds += 3 * alignments * 2 * 8 * (PREMISE * HYPOTHESIS).sum()
    multiply_adds += of_projection * tokens * 5 * 7
    counted = training_operations(experiment, PREMISE, HYPOTHESIS)
    assert counted == pytest.approx(2 * multiply_adds, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dsa", "disan"])
@pytest.mark.parametrize(
    "embedding", [{"units": 8, "trainable": True}, {**VECTORS, "projection": 7}]
)
def test_each_kernel_of_an_encoder_is_counted(name, embedding):
    settings = SETTINGS["model"] if name == "dsa" else {"name": "disan", "units": 8}
    experiment = Experiment.model_validate(
        {**SETTINGS, "model": settings, "embedding": embedding}
    )
    model = build_model(experiment, vocabulary_size=11)
    kernels = sum(
        int(np.prod(weight.shape))
        for weight in [*model.encoder.weights, *model.embedding.weights]
        if weight.path.endswith("kernel")
    )
    multiply_adds = PREMISE.sum() * kernels
    if name == "dsa":
        multiply_adds += 2 * 2 * (PREMISE**2).sum() * experiment.model.units
    counted = encoding_operations(experiment, PREMISE)
    assert counted == pytest.approx(2 * multiply_adds, rel=1e-12)
