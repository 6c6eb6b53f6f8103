import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model.similarity": []}, "'model.similarity' must contain 'cosine'"),
        ({"model.first": "runs/x"}, "'model.first' requires 'model.convolutions: 2'"),
        (
            {"model.name": "abcnn1", "tokenizer.max_tokens": None},
            "requires 'tokenizer.max_tokens'",
        ),
        ({"features.names": ["lenghts"]}, "Did you mean 'lengths'"),
    ],
)
def test_impossible_settings(changes, message):
    with pytest.raises(InputError, match=message):
        load_experiment("configs/msrp/bcnn.yaml", changes)


@pytest.mark.parametrize("name", ["addition", "alstm", "mt"])
def test_the_copy_without_shared_words_requires_a_model_that_reads_it(name):
    config = f"configs/msrp/{name}.yaml"
    message = "'features.nonoverlap' is not supported by 'model.name: "
    with pytest.raises(InputError, match=message):
        load_experiment(config, {"features.nonoverlap": True})


@pytest.mark.parametrize("key", ["label_smoothing", "use_ema"])
def test_linear_models_have_no_settings_of_networks(key):
    value = {"label_smoothing": 0.1, "use_ema": True}[key]
    with pytest.raises(InputError, match=f"'training.{key}' requires a network"):
        load_experiment("configs/msrp/mt.yaml", {f"training.{key}": value})
