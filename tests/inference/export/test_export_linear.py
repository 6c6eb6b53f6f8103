"""The exported feature classifier answers as the run does, without this package."""

import json
import runpy
import subprocess
import sys

import numpy as np
import pytest

import dsa
from dsa.commands.export import main
from dsa.inference.serving.json_model import load_json_model
from tests.support.runs import write_experiment

PAIRS = [
    ("A man sleeps.", "A man is awake."),
    ("The dog runs. It doesn't stop.", "A dog and a cat run!"),
    ("Unheard words", "unheard unheard"),
    ("a cat", "cat"),
]


@pytest.fixture(scope="module", params=[True, False], ids=["lexical", "dense"])
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("linear")
    model = {"name": "features", "minimum_count": 1, "lexical": request.param}
    config = write_experiment(folder, model=model)
    return dsa.train(config, folder / "run", data_root=folder)


def test_the_runner_gives_the_predictions_of_the_run(run, tmp_path, capsys):
    arguments = [str(run), "--format", "numpy", "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    names = {"features.npz", "run_linear.py", "settings.json", "vocabulary.txt"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    code = (
        "import json, sys; from run_linear import ExportedModel;"
        "print(json.dumps(ExportedModel('.').predict(json.loads(sys.argv[1]))))"
    )
    answers = subprocess.run(
        [sys.executable, "-c", code, json.dumps(PAIRS)],
        cwd=tmp_path / "out",
        env={"PATH": ""},  # without this package
        capture_output=True,
        check=True,
    )
    model = dsa.load(run)
    for answer, expected in zip(
        json.loads(answers.stdout), model.predict(PAIRS), strict=True
    ):
        assert answer["label"] == expected.label
        assert answer["probabilities"] == pytest.approx(expected.probabilities, 1e-5)
    one = subprocess.run(
        [sys.executable, tmp_path / "out" / "run_linear.py", *PAIRS[0]],
        capture_output=True,
        check=True,
    )
    assert json.loads(one.stdout)["label"] == model.predict(PAIRS[:1])[0].label
    lone = subprocess.run(
        [sys.executable, tmp_path / "out" / "run_linear.py", PAIRS[0][0]],
        capture_output=True,
        text=True,
    )
    assert lone.returncode == 2 and lone.stderr.startswith("usage: run_linear.py")
    module = runpy.run_path(str(tmp_path / "out" / "run_linear.py"))
    runner = module["ExportedModel"](tmp_path / "out")
    for pair in ({"premise": "a", "hypothesis": "b"}, "ab", ["a"], ("a", "b", "c")):
        with pytest.raises(ValueError, match="row 2: expected a .premise, hypothesis"):
            runner.predict([PAIRS[0], pair])
    assert main(arguments) == 2
    assert "already exists. --force replaces it" in capsys.readouterr().err


def test_a_changed_file_of_the_export_is_an_error(run, tmp_path):
    main([str(run), "--format", "numpy", "--out", str(tmp_path / "out")])
    vocabulary = tmp_path / "out" / "vocabulary.txt"
    vocabulary.write_text(vocabulary.read_text().replace("dog", "dig"))
    script = [sys.executable, tmp_path / "out" / "run_linear.py", *PAIRS[0]]
    error = subprocess.run(script, capture_output=True, text=True).stderr
    assert error.startswith("error: ") and len(error.splitlines()) == 1
    assert "vocabulary.txt: SHA-256 differs from settings.json" in error


def test_a_network_is_not_exported_as_arrays(finished, tmp_path, capsys):
    arguments = [
        str(finished / "run"),
        "--format",
        "numpy",
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(arguments) == 2
    assert "'--format numpy' requires 'model.name: features'" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_the_service_answers_with_a_linear_model(run):
    model = load_json_model(run, "auto", batch_rows=2)
    answers = [json.loads(answer) for answer in model("predict", PAIRS)]
    expected = dsa.load(run).predict(PAIRS)
    assert [answer["label"] for answer in answers] == [each.label for each in expected]
    shares = [list(answer["probabilities"].values()) for answer in answers]
    np.testing.assert_allclose(np.sum(shares, axis=1), 1)
    assert answers[2]["unknown"] == ["unheard", "words"]
    with pytest.raises(dsa.InputError, match="has no attention maps"):
        model.check_kind("explain")
    model.check_kind("predict")
