"""A wrong argument of the library's functions is one line that names it."""

import pytest

import dsa
from dsa.explanation import Explanation
from tests.support.kept_answers import write_run
from tests.support.runs import write_experiment

NEW = {"model": {"name": "dsa"}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dsa.ensemble("nothing"), "^nothing: no such run folder"),
        (
            lambda: dsa.ensemble(None),
            "^'runs': expected a run or a list .*: NoneType$",
        ),
        (lambda: dsa.evaluate(None), "^'run': expected a run or a list .*: NoneType$"),
        (
            lambda: dsa.evaluate(object()),
            "^'run': expected a run or a list .*: object$",
        ),
        (lambda: dsa.evaluate([]), "^'run': expected at least one run"),
        (lambda: dsa.curves([]), "^'runs': expected at least one run"),
        (lambda: dsa.plot_curves(3), "^'runs': expected a run or a list .*: int$"),
        (
            lambda: dsa.compare(None, "mini"),
            "^'first': expected a run or .*: NoneType$",
        ),
        (lambda: dsa.compare("mini", []), "^'other': expected at least one run"),
        (lambda: dsa.plot_attention("a"), "^'explanation': expected an `Explanation`"),
        (
            lambda: dsa.train(None),
            "^'config': expected the path of .* Received: NoneType$",
        ),
        (
            lambda: dsa.train(NEW, overrides=3),
            "^'overrides': expected a string 'section",
        ),
        (
            lambda: dsa.train(NEW, overrides=[3]),
            "^'overrides': expected a string 'section",
        ),
        (
            lambda: dsa.train(NEW, overrides={3: 4}),
            "^'overrides': expected a string 'section",
        ),
        (lambda: dsa.train(NEW, overrides="t=1"), "unknown key 't'"),
        (
            lambda: dsa.train(NEW, callbacks=3),
            "^'callbacks': expected a list .*: int$",
        ),
        (
            lambda: dsa.train(NEW, callbacks="ab"),
            "^'callbacks': expected a list .*: str$",
        ),
        (
            lambda: dsa.train(NEW, data_root=3),
            "^data root: expected the name of .*: int$",
        ),
        (
            lambda: dsa.train("configs/mini/dsa.yaml", 3),
            "^'run': expected the name .*: int",
        ),
        (
            lambda: dsa.train(NEW, overrides=["t"]),
            "expected a setting 'key.key=value'",
        ),
        (
            lambda: dsa.train(NEW, overrides=["t=", "t="]),
            "^the setting 't' is given tw",
        ),
        (lambda: dsa.train(NEW, overrides="t=["), "^the setting 't'"),
        (
            lambda: dsa.train(NEW, overrides=["a={}", "a.b=1"]),
            "^conflicting settings 'a' and",
        ),
        (
            lambda: dsa.train(NEW, overrides={"model.name.x": 1}),
            "'model.name.x': 'name",
        ),
        (lambda: dsa.curves("mini", over="epoch"), "^'over' must be one of .*: epoch$"),
        (lambda: dsa.curves("mini", ["a", "b"]), "^'names': expected 1 distinct names"),
        (
            lambda: Explanation([], {"premise": ()}).of("x"),
            "no sentence 'x'. Sentences:",
        ),
    ],
)
def test_it_names_the_argument(call, message):
    with pytest.raises(dsa.InputError, match=message) as error:
        call()
    assert "--" not in str(error.value)


def test_one_run_is_taken_as_a_list_of_it(tmp_path):
    run = write_run(tmp_path / "a", 1, "1100000")
    other = write_run(tmp_path / "b", 1, "1111000")
    for first in (run, run.path, str(run.path), [run]):
        assert dsa.compare(first, (other,)).metrics["accuracy"].other > 0.5


def test_callbacks_can_be_none(tmp_path):
    config = write_experiment(tmp_path, model={"name": "features"})
    run = dsa.train(config, tmp_path / "run", data_root=tmp_path, callbacks=None)
    assert (run / "metrics.json").is_file()
