"""Models create their weights from the shapes of the layers, without a call."""

import pytest
from keras.layers import Layer

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model

pytestmark = [
    pytest.mark.keras,
    pytest.mark.nightly_on_jax,
    pytest.mark.usefixtures("quick_weights"),
]

SMALL = {
    "embedding.units": 6,
    "embedding.path": None,
    "embedding.trainable": True,
    "embedding.outside": "unknown",
}
CONFIGS = (
    "snli/dsa snli/disan snli/source2token snli/additive_attention snli/multi_head "
    "snli/bilstm snli/cbow snli/bilstm_mean snli/bilstm_max snli/lstm snli/gru "
    "snli/bilstm_inner sst/bialstm sst/dsa sick/dsa snli/esim snli/aesim "
    "snli/transformer snli/decomposable_intra snli/swem snli/infersent "
    "snli/shortcut_stacked snli/hbmp "
    "snli/self_attentive snli/self_attentive_gated snli/gated_attention "
    "sick_entailment/abcnn3 sick_entailment/addition sick_entailment/alstm"
)
FURTHER = {
    "snli/transformer": {"embedding.projection": 300},
    "snli/self_attentive_gated": {"model.classifier.units": 7},  # instead of 4,000
}


@pytest.fixture
def no_calls(monkeypatch):
    """Makes every call of a layer an error."""
    import keras

    def fail(layer, *inputs, **options):
        raise AssertionError(f"{layer.name} was called")

    monkeypatch.setattr(keras.layers.Layer, "__call__", fail)


@pytest.mark.parametrize("name", CONFIGS.split())
def test_a_model_is_built_without_calls_and_nested_lists(name, no_calls):
    settings = {**SMALL, **FURTHER.get(name, {})}
    model = build_model(load_experiment(f"configs/{name}.yaml", settings), 9)
    assert model.built
    assert all(layer.built for layer in model._flatten_layers())
    assert model.embedding.vectors().shape == (9, 6)
    assert list_nested_layers(model) == []


def list_nested_layers(model):
    """Returns layers in nested lists, with their owner.

    Keras before 3.15 silently skips their weights in saved files.
    """
    return [
        (layer.name, attribute)
        for layer in model._flatten_layers()
        for attribute, value in vars(layer).items()
        if attribute != "_layers" and isinstance(value, list | tuple)
        for item in value
        if isinstance(item, list | tuple | dict)
        and any(isinstance(element, Layer) for element in item)
    ]


def test_an_encoder_without_build_creates_its_weights_in_a_call():
    import keras

    from dsa.layers.word_embedding import WordEmbedding
    from dsa.models.classifiers.sentence_classifiers import SentencePairClassifier

    class Sums(keras.layers.Layer):
        """A layer without `build` and `compute_output_shape`."""

        def __init__(self):
            super().__init__(name="sums")
            self.map = keras.layers.Dense(5)

        def call(self, x, mask=None, training=None, return_attention=False):
            return self.map(keras.ops.sum(x, axis=1))

    model = SentencePairClassifier(WordEmbedding(9, 6), Sums(), units=4)
    model.build()
    assert model.vector_units == 5
    assert tuple(model.encoder.map.kernel.shape) == (6, 5)
    assert tuple(model.hidden.dense.kernel.shape) == (20, 4)
