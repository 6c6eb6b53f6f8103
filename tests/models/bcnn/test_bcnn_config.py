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
