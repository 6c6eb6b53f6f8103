"""The functions that a notebook calls to see what runs have reached."""

import csv
import inspect
import io
import subprocess
import sys
import types

import numpy as np
import pytest

import dsa
from dsa.api import results
from dsa.commands.main import main
from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.overview import COLUMNS
from tests.support.kept_answers import write_run

PUBLIC = [
    results.compare,
    results.curves,
    results.plot_attention,
    results.plot_curves,
    results.robustness,
    results.list_runs,
]


def test_the_public_functions_have_types_and_an_example():
    assert {function.__name__ for function in PUBLIC} < {*dsa.__all__}
    for function in [dsa.train, dsa.evaluate, dsa.load, dsa.ensemble, *PUBLIC]:
        hints = inspect.signature(function)
        assert hints.return_annotation is not hints.empty, function.__name__
        for name, parameter in hints.parameters.items():
            assert parameter.annotation is not parameter.empty, name
        assert "    Example:\n" in function.__doc__, function.__name__
        assert "Raises:" in function.__doc__ and "Returns:" in function.__doc__


def test_nothing_of_it_imports_keras_pandas_or_matplotlib():
    code = (
        "import sys, dsa; dsa.compare, dsa.ensemble, dsa.runs\n"
        "assert not {'keras', 'pandas', 'matplotlib', 'scipy'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_models_are_compared_from_one_run_or_several(tmp_path):
    first = [write_run(tmp_path / "a", s, "1100000").path for s in (1, 2)]
    other = [write_run(tmp_path / "b", s, "1111000").path for s in (1, 2)]
    one = dsa.compare(first[0], str(other[0]))
    assert one.metrics["accuracy"].difference == pytest.approx(2 / 7)
    assert str(one).splitlines()[0] == "no setting differs"
    assert repr(one) == str(one) and "<td>+0.2857</td>" in one._repr_html_()
    assert dsa.compare(first, other).metrics["accuracy"].by_t is not None


def test_curves_are_read_drawn_and_printed():
    read = dsa.curves("mini", metric="val_loss", over="epochs")
    ((places, numbers),) = read.curves.values()
    assert len(places) == len(numbers) > 1
    assert repr(read) == str(read) and "<th>dev loss</th>" in read._repr_html_()
    assert str(read).splitlines()[0] == "dev loss"
    assert max(map(len, str(read).splitlines())) == 72
    figure = dsa.plot_curves(["mini", "mini"], names=["one", "other"])
    assert len(figure.axes[0].lines) == 4  # of dev and of train
    with pytest.raises(InputError, match="one of steps, epochs, seconds.*: hours"):
        dsa.curves("mini", over="hours")


def make_explanation():
    weights = np.full((3, 2, 2), 0.5)
    kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
    maps = [
        TokenMap("attention", kind, weights, sentence=name)
        for name in ("premise", "hypothesis")
    ]
    tokens = {"premise": ["A", "man"], "hypothesis": ["A", "dog"]}
    return Explanation.build(maps, tokens)


def test_attention_is_drawn_of_a_sentence_and_in_a_view():
    look = make_explanation()
    figure = dsa.plot_attention(look, title="a title")
    assert figure.get_suptitle() == "a title" and len(figure.axes) == 2  # map, colours
    labels = figure.axes[0].get_xticklabels()
    assert [text.get_text() for text in labels] == ["A", "man"]
    heads = dsa.plot_attention(look, "hypothesis", "heads")
    assert [axes.get_title() for axes in heads.axes][:3] == [
        f"head {number}" for number in (1, 2, 3)
    ]
    with pytest.raises(InputError, match="unknown sentence 'x'.* premise; hypothesis"):
        dsa.plot_attention(look, "x")
    with pytest.raises(InputError, match="unknown view 'x'.* average; heads"):
        dsa.plot_attention(look, view="x")
    gate = TokenMap("gate", MapKind.TOKEN, np.array([0.5]))
    with pytest.raises(InputError, match="no attention over tokens of the sentence"):
        dsa.plot_attention(Explanation.build([gate], {"sentence": ["A"]}))


@pytest.fixture
def folder(run_copy):
    """A folder with a run and a damaged one."""
    (run_copy.parent / "damaged").mkdir()
    (run_copy.parent / "damaged/config.yaml").write_text("model: {name: nothing}\n")
    return run_copy.parent


def test_runs_are_rows_with_or_without_pandas(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # not installed
    damaged, run = dsa.list_runs(folder)
    assert (*run,) == (*damaged,) == COLUMNS
    assert run["run"] == str(folder / "run") and run["model"] == "dsa"
    assert run["seconds"] > 0 and run["steps"] == 16 and run["state"] == "finished"
    assert run["metric"] == "accuracy" and 0 <= run["dev"] <= 1
    assert run["dev_units"] == 11 and run["date"].startswith("20")
    assert "is missing" in damaged["state"] and damaged["dev"] is None
    frame = types.SimpleNamespace(DataFrame=lambda rows: ("frame", len(rows)))
    monkeypatch.setitem(sys.modules, "pandas", frame)
    assert dsa.list_runs(folder) == ("frame", 2)


def test_runs_are_a_frame_of_pandas(folder):
    pandas = pytest.importorskip("pandas")
    frame = dsa.list_runs(folder)
    assert isinstance(frame, pandas.DataFrame) and tuple(frame.columns) == COLUMNS


def test_runs_as_csv_have_overrides_and_count_evaluations_on_test(folder, capsys):
    run = RunFolder(folder / "run")
    command = "python scripts/train.py a.yaml --set model.alpha=2 'seed=3'"
    run.write_json("environment.json", {**run.environment(), "command": command})
    before = sum(entry["split"] == "test" for entry in run.metrics())
    for accuracy in (0.25, 0.75):
        run.add_metrics({"split": "test", "count": 8, "accuracy": accuracy})
    assert main(["runs", str(folder), "--csv"]) == 0
    _, row = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["overrides"] == "model.alpha=2 'seed=3'"
    assert (row["test"], row["test_evaluations"]) == ("0.75", str(before + 2))
    assert main(["configs", "--csv"]) == 2
    assert "--csv requires runs" in capsys.readouterr().err


def test_the_suite_is_evaluated(finished, tmp_path):
    file = tmp_path / "cad/revised_premise/test.tsv"
    file.parent.mkdir(parents=True)
    file.write_text("sentence1\tsentence2\tgold_label\nA man\tA cat\tneutral\n")
    suite = dsa.robustness(finished / "run", tmp_path, record=False)
    assert suite.entries["cad_revised_premise"]["count"] == 1
    assert str(suite).startswith("| set | rows |") and len(suite.missing) == 26
    assert suite.draw("title").axes
    with pytest.raises(InputError, match="unknown view 'x'"):
        dsa.robustness(finished / "run", tmp_path, view="x")
