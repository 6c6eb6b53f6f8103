import numpy as np
import pytest

from tests.models.bcnn.test_bcnn import make_model
from tests.support.layer_checks import numpy_of

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_diversity_applies_to_filters_and_last_layer():
    model = make_model("abcnn1", 1, l2=0.1, diversity=0.3)
    found = float(numpy_of(sum(model.losses)))
    block = model.blocks[0]
    kernels = [block.convolution.convolution.kernel, model.logits.kernel]
    decayed = [
        numpy_of(w).astype(np.float64) for w in [*kernels, block.feature_map.map]
    ]
    expected = 0.1 * sum((w**2).sum() for w in decayed)
    for w in decayed[:2]:
        rows = w.reshape(-1, w.shape[-1]).T
        expected += 0.3 * ((rows @ rows.T - np.eye(len(rows))) ** 2).sum()
    assert found == pytest.approx(expected, rel=1e-5)


def test_without_diversity_the_loss_is_the_decay():
    model = make_model("bcnn", 1, l2=0.1)
    kernels = model.blocks[0].convolution.convolution.kernel, model.logits.kernel
    expected = 0.1 * sum((numpy_of(w).astype(np.float64) ** 2).sum() for w in kernels)
    assert float(numpy_of(sum(model.losses))) == pytest.approx(expected, rel=1e-5)
