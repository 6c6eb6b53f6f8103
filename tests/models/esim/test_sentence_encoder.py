import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from tests.support.layer_checks import numpy_of, rand, values_by_name

pytestmark = pytest.mark.keras  # run on JAX in CI too

IDS = np.array([[3, 4, 5, 6], [2, 1, 0, 0]], np.int32)


def test_a_sentence_is_the_mean_of_the_states_of_a_bi_alstm():
    settings = {"model.units": 3, "embedding.path": None, "embedding.units": 5}
    settings["embedding.trainable"] = True
    model = build_model(load_experiment("configs/sst/bialstm.yaml", settings), 7)
    model.embedding.set_vectors(rand(7, 5))
    states = numpy_of(model.encoder.context(rand(7, 5)[IDS], mask=IDS > 0))
    expected = [s[row > 0].mean(axis=0) for s, row in zip(states, IDS, strict=True)]
    maps = []
    found = numpy_of(model.encode(IDS, maps=maps))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    assert {"word_attention_forward", "word_attention_backward"} <= set(
        values_by_name(maps)
    )
