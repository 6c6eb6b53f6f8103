import dataclasses
import types

import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.runs.run_names import (
    check_same_task,
    describe_differences,
    list_differing_settings,
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
    )


def folder(path="x/run", known_as=None, **changes):
    """Returns a fake `RunFolder`."""
    experiment = trained(**changes).experiment
    return types.SimpleNamespace(
        path=path, known_as=known_as, experiment=lambda: experiment
    )


def model(**changes):
    return {"model": {**SETTINGS["model"], **changes}}


def test_runs_are_named_by_different_settings_of_their_models():
    runs = [folder(**model(alpha=0), seed=1), folder(**model(alpha=2), seed=2)]
    assert name_runs(runs) == ["alpha 0", "alpha 2"]


def test_other_settings_name_runs_of_the_same_model():
    assert name_runs([folder(seed=1), folder(seed=2)]) == ["seed 1", "seed 2"]
    runs = [folder(**model(alpha=0), seed=s) for s in (1, 2)] + [folder(seed=1)]
    assert name_runs(runs) == [
        "alpha 0, seed 1",
        "alpha 0, seed 2",
        "alpha 1.5, seed 1",
    ]


def test_other_models_are_named_only_by_their_names():
    disan = {"model": {"name": "disan", "units": 5}}
    assert name_runs([folder(), folder(**disan, seed=8)]) == ["dsa", "disan"]
    runs = [folder(), folder(**model(alpha=0)), folder(**disan)]
    assert name_runs(runs) == ["dsa, alpha 1.5", "dsa, alpha 0", "disan"]


def test_names_contain_the_last_part_of_paths_and_values_as_in_yaml():
    runs = [
        folder(embedding={"path": f"a/long/path/{name}.txt", "units": 5})
        for name in ("glove", "other")
    ]
    assert name_runs(runs) == ["embedding.path glove.txt", "embedding.path other.txt"]
    data = SETTINGS["data"]
    runs = [folder(), folder(data={**data, "train_on_dev": True})]
    assert name_runs(runs) == ["data.train_on_dev false", "data.train_on_dev true"]


def test_all_differences_are_listed():
    other = {"tokenizer": {"name": "whitespace", "lowercase": True}}
    runs = [trained(), trained(**model(alpha=0), **other)]
    assert list_differing_settings(runs) == ["tokenizer.name", "model.alpha"]
    assert list_differing_settings([trained(), trained()]) == []


def test_differences_between_two_groups_are_described():
    groups = [
        trained(**model(alpha=alpha), seed=s) for alpha in (0, 2.5) for s in (1, 2)
    ]
    assert describe_differences(groups, 2) == [
        "settings that differ:",
        "  model.alpha: 0, 2.5",
    ]
    assert describe_differences(groups, 1)[1] == "  seed: 1, 2 and 1"
    assert describe_differences(groups[:1] * 2, 1) == ["no setting differs"]


def test_runs_of_equal_settings_have_the_names_of_their_folders():
    hashed = folder("/cache/releases/mini-53606e085fcaf0c0", known_as="mini")
    assert name_runs([hashed, folder("runs/mine")]) == ["mini", "mine"]
    copies = [folder(f"/x/{name}/seed-13") for name in ("dsa", "dsa_again")]
    assert name_runs(copies) == ["dsa", "dsa_again"]
    assert name_runs([folder(), folder()]) == ["run 1", "run 2"]
    assert name_runs([hashed]) == ["mini"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["runs/a/dsa/seed-1", "runs/a/esim/seed-2"], ["seed-1", "seed-2"]),
        (["/x/a/dsa", "/x/b/dsa", "/y/a/dsa"], ["x/a", "x/b", "y/a"]),
        (["runs/a/dsa/seed-1", "runs/a/dsa/seed-2/"], ["seed-1", "seed-2"]),
        (["/x/dsa/seed-1", "/y/dsa/seed-1"], ["x", "y"]),
        (["dsa", "./dsa"], ["run 1", "run 2"]),
        (["x/dsa", "x/dsa/below"], ["dsa", "below"]),
        (["/a/b", "/b"], ["run 1", "run 2"]),
        (["/x/runs/a/dsa"], ["a/dsa"]),
        (["/x/y/z"], ["y/z"]),
    ],
)
def test_folders_are_named_by_their_last_different_parts(folders, names):
    assert name_folders(folders) == names


def test_comparing_runs_with_different_labels_is_an_error():
    def run(path, task=NLI):
        return types.SimpleNamespace(path=path, experiment=lambda: trained(task))

    check_same_task([run("a"), run("b")])
    other = Classification("other", PAIR, ("yes", "no"))
    message = "a and c have .* the labels entailment, .* the labels yes, no"
    with pytest.raises(InputError, match=message):
        check_same_task([run("a"), run("b"), run("c", other)])


def test_labels_in_another_order_are_another_task():
    other = dataclasses.replace(NLI, labels=NLI.labels[::-1])
    runs = [
        types.SimpleNamespace(path=path, experiment=lambda task=task: trained(task))
        for path, task in (("a", NLI), ("b", other))
    ]
    with pytest.raises(InputError, match="a and b have different tasks"):
        check_same_task(runs)
