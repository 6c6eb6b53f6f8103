"""The runner, in a process that has neither this package nor Keras, and of NLTK the
tokenizers only."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest

import dsa
from dsa.commands.export import main

pytest.importorskip("onnxruntime")
pytest.importorskip("tf2onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="models are exported by TensorFlow"
)

PAIRS = [
    ("A man sleeps.", "A man is awake."),
    ("The dog can't run.", "A dog runs."),
    ("A zebra eats.", "An animal eats (something)."),
]
BARE = """
import runpy, sys
MISSING = "dsa keras tensorflow jax torch pydantic yaml scipy sklearn".split()
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MISSING or name == "nltk.chunk":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(scope="module")
def exported(finished, tmp_path_factory):
    """The finished run as an exported folder."""
    folder = tmp_path_factory.mktemp("exported")
    assert main([str(finished / "run"), "--format", "onnx", "--out", str(folder)]) == 0
    return folder


def run(folder, *arguments, given=None):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", BARE, str(folder / "run_onnx.py"), *arguments],
        input=given,
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    )


def test_a_file_of_pairs_is_answered_as_the_run_answers(exported, finished):
    lines = [json.dumps({"sentence1": a, "sentence2": b, "id": a}) for a, b in PAIRS]
    result = run(exported, "--file", "-", given="\n".join(lines) + "\n")
    assert result.stderr == "" and result.returncode == 0
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    predictions = dsa.load(finished / "run").predict(PAIRS)
    assert [answer["id"] for answer in answers] == [a for a, _ in PAIRS]
    for answer, prediction in zip(answers, predictions, strict=True):
        assert answer["label"] == prediction.label
        assert answer["probabilities"] == pytest.approx(
            prediction.probabilities, abs=1e-5
        )


def test_sentences_are_encoded_as_the_run_encodes(exported, finished):
    given = "".join(f"{a}\n" for a, _ in PAIRS)
    result = run(exported, "--encode", "--file", "-", "--out", "v.npy", given=given)
    assert result.stderr == "" and result.returncode == 0
    expected = dsa.load(finished / "run").encode([a for a, _ in PAIRS])
    np.testing.assert_allclose(np.load(exported / "v.npy"), expected, atol=1e-5)


def test_a_mistake_is_one_line(exported):
    for arguments, error in [
        (["one text"], "error: row 1: 2 texts are needed\n"),
        (["--file", "none.txt"], "error: [Errno 2]"),
    ]:
        result = run(exported, *arguments)
        assert result.returncode == 2
        assert result.stderr.startswith(error) and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "-: no rows"),
        ("a\n", "-, line 1: sentence1 and sentence2 needed"),
        ("a\tb\n\n", "-, line 2: sentence1 and sentence2 needed"),
        ('{"sentence1": "a", "sentence2": "b"}\nc\td\n', "-, line 2: not JSON"),
        ("{" + '"a":[' * 10**5, "-, line 1: not JSON"),
    ],
)
def test_a_malformed_line_is_one_line_with_its_place(exported, content, error):
    result = run(exported, "--file", "-", given=content)
    assert result.returncode == 2
    assert result.stderr.startswith(f"error: {error}"), result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_is_read_as_dsa_predict_reads_it(exported):
    row = '{"sentence1": "{a", "sentence2": "b"}'
    given = f"\ufeff {row}\r\n\n{row}\n"
    assert len(run(exported, "--file", "-", given=given).stdout.splitlines()) == 2
    result = run(exported, "--file", "-", given="a\tb\n{c\td\n")
    assert len(result.stdout.splitlines()) == 2, result.stderr


def test_no_file_is_lost(exported, tmp_path):
    pairs, out = tmp_path / "pairs", tmp_path / "out"
    pairs.write_text("a\tb\n")
    arguments = ["--file", str(pairs), "--out"]
    assert run(exported, *arguments, str(pairs), "--force").returncode == 2
    assert pairs.read_text() == "a\tb\n"
    assert run(exported, *arguments, str(out)).returncode == 0
    result = run(exported, *arguments, str(out))
    assert "is there already. --force replaces it" in result.stderr
    assert run(exported, *arguments, str(out), "--force").returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"pairs", "out"}


@pytest.mark.parametrize(
    ("settings", "error"),
    [("{}", "format None is unknown"), ('{"format": 1}', "damaged: model, answer")],
)
def test_damaged_settings_are_one_line(exported, tmp_path, settings, error):
    shutil.copytree(exported, tmp_path / "copy")
    (tmp_path / "copy" / "settings.json").write_text(settings)
    result = run(tmp_path / "copy", *PAIRS[0])
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert error in result.stderr


def test_damaged_models_and_odd_features_are_one_line(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "copy")
    folder = tmp_path / "copy"
    settings = json.loads((folder / "settings.json").read_text())
    settings["sha256"]["model.onnx"] = hashlib.sha256(b"x").hexdigest()
    (folder / "settings.json").write_text(json.dumps(settings))
    (folder / "model.onnx").write_bytes(b"x")
    result = run(folder, *PAIRS[0])
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert "model.onnx: not readable" in result.stderr
    (folder / "settings.json").write_text(json.dumps(settings | {"features": 1}))
    row = {"sentence1": "a", "sentence2": "b", "features": {"a": 1}}
    result = run(folder, "--file", "-", given=json.dumps(row))
    assert "features of shape (1, 1) are needed" in result.stderr


@pytest.mark.parametrize("name", ["model.onnx", "vocabulary.txt"])
def test_files_of_another_run_are_refused(exported, tmp_path, name):
    shutil.copytree(exported, tmp_path / "copy")
    with open(tmp_path / "copy" / name, "ab") as file:
        file.write(b"x\n")
    result = run(tmp_path / "copy", *PAIRS[0])
    assert result.returncode == 2
    assert result.stderr.endswith(f"{name}: settings.json is of another file\n")
    assert result.stderr.count("\n") == 1


def test_files_that_are_there_are_kept(exported, finished, capsys):
    arguments = [str(finished / "run"), "--format", "onnx", "--out", str(exported)]
    assert main(arguments) == 2
    assert "is there already. --force replaces it" in capsys.readouterr().err
