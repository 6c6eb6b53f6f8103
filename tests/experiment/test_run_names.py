import types

import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.run_names import (
    check_same_task,
    describe_differences,
    find_differences,
    name_folders,
    name_runs,
)
from dsa.tasks.classification import Classification
from dsa.tasks.task import PAIR
from tests.support.runs import SETTINGS


def trained(task=NLI, **changes):
    settings = {**SETTINGS, **changes}
    return types.SimpleNamespace(
        experiment=Experiment.model_validate(settings),
        task=task,
        run=types.SimpleNamespace(path="run"),
    )


def model(**changes):
    return {"model": {**SETTINGS["model"], **changes}}


def test_runs_are_named_by_what_differs_in_their_models():
    runs = [trained(**model(alpha=0), seed=1), trained(**model(alpha=2), seed=2)]
    assert name_runs(runs) == ["alpha 0", "alpha 2"]


def test_other_settings_name_runs_of_the_same_model():
    assert name_runs([trained(seed=1), trained(seed=2)]) == ["seed 1", "seed 2"]
    runs = [trained(**model(alpha=0), seed=s) for s in (1, 2)] + [trained(seed=1)]
    assert name_runs(runs) == [
        "alpha 0, seed 1",
        "alpha 0, seed 2",
        "alpha 1.5, seed 1",
    ]


def test_other_models_are_named_by_their_names_alone():
    disan = {"model": {"name": "disan", "units": 5}}
    assert name_runs([trained(), trained(**disan, seed=8)]) == ["dsa", "disan"]


def test_all_differences_are_listed():
    other = {"tokenizer": {"name": "whitespace", "lowercase": True}}
    runs = [trained(), trained(**model(alpha=0), **other)]
    assert name_runs(runs) == ["alpha 1.5", "alpha 0"]
    assert find_differences(runs) == ["tokenizer.name", "model.alpha"]
    assert find_differences([trained(), trained()]) == []


def test_the_settings_in_which_two_groups_differ_are_described():
    groups = [
        trained(**model(alpha=alpha), seed=s) for alpha in (0, 2.5) for s in (1, 2)
    ]
    assert describe_differences(groups, 2) == [
        "settings that differ:",
        "  model.alpha: 0, 2.5",
    ]
    assert describe_differences(groups, 1)[1] == "  seed: 1, 2 and 1"
    assert describe_differences(groups[:1] * 2, 1) == ["no setting differs"]


def test_equal_runs_are_numbered_and_one_alone_has_its_models_name():
    assert name_runs([trained(), trained()]) == ["run 1", "run 2"]
    assert name_runs([trained()]) == ["dsa"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["runs/a/dsa/seed-1", "runs/a/esim/seed-2"], ["dsa/seed-1", "esim/seed-2"]),
        (["runs/a/dsa/seed-1", "runs/a/dsa/seed-2/"], ["seed-1", "seed-2"]),
        (["/x/dsa/seed-1", "/y/dsa/seed-1"], ["x", "y"]),
        (["dsa", "./dsa"], ["run 1", "run 2"]),
        (["x/dsa", "x/dsa/below"], ["run 1", "run 2"]),
        (["/x/runs/a/dsa"], ["a/dsa"]),
        (["/x/y/z"], ["y/z"]),
    ],
)
def test_folders_are_named_by_the_parts_that_differ(folders, names):
    assert name_folders(folders) == names


def test_runs_of_different_labels_are_not_compared():
    def run(path, task=NLI):
        return types.SimpleNamespace(path=path, experiment=lambda: trained(task))

    check_same_task([run("a"), run("b")])
    other = Classification("other", PAIR, ("yes", "no"))
    message = "a and c answer .* the labels entailment, .* the labels yes, no"
    with pytest.raises(InputError, match=message):
        check_same_task([run("a"), run("b"), run("c", other)])
