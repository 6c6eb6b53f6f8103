"""`run_onnx.py` in a process without this package, without Keras, and with the
tokenizers of NLTK only."""

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
from tests.support.exports import load_runner

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
    """An export of the finished run."""
    folder = tmp_path_factory.mktemp("exported")
    assert main([str(finished / "run"), "--format", "onnx", "--out", str(folder)]) == 0
    return folder


def run(folder, *arguments):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", BARE, str(folder / "run_onnx.py"), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    )


def test_a_pair_is_predicted_as_the_run_predicts(exported, finished):
    model = dsa.load(finished / "run")
    for pair, expected in zip(PAIRS, model.predict(PAIRS), strict=True):
        result = run(exported, *pair)
        assert result.stderr == "" and result.returncode == 0
        answer = json.loads(result.stdout)
        assert answer["label"] == expected.label
        assert answer["probabilities"] == pytest.approx(
            expected.probabilities, abs=1e-5
        )


def test_sentences_are_encoded_as_the_run_encodes(exported, finished):
    sentences = [sentence for sentence, _ in PAIRS]
    expected = dsa.load(finished / "run").encode(sentences)
    vectors = load_runner(exported).encode(sentences)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_a_missing_text_is_one_line(exported):
    result = run(exported, "one text")
    assert result.returncode == 2
    assert result.stderr == "error: row 1: expected 2 texts. Received: 1\n"


def test_a_dictionary_is_not_read_as_its_keys(exported):
    row = {"premise": PAIRS[0][0], "hypothesis": PAIRS[0][1]}
    with pytest.raises(ValueError, match="row 1: expected a tuple. Received: {'premi"):
        load_runner(exported).predict([row])


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ("{}", "unknown format None"),
        ("[]", "not a JSON object"),
        ("{", "not a JSON object"),
        ('{"format": 1}', "damaged: model, answer"),
    ],
)
def test_damaged_settings_are_one_line(exported, tmp_path, settings, error):
    shutil.copytree(exported, tmp_path / "copy")
    (tmp_path / "copy" / "settings.json").write_text(settings)
    result = run(tmp_path / "copy", *PAIRS[0])
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert error in result.stderr


def test_a_damaged_model_is_one_line(exported, tmp_path):
    folder = shutil.copytree(exported, tmp_path / "copy")
    settings = json.loads((folder / "settings.json").read_text())
    settings["sha256"]["model.onnx"] = hashlib.sha256(b"x").hexdigest()
    (folder / "settings.json").write_text(json.dumps(settings))
    (folder / "model.onnx").write_bytes(b"x")
    result = run(folder, *PAIRS[0])
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert "model.onnx: not readable" in result.stderr


def test_features_of_another_shape_raise(exported, tmp_path):
    folder = shutil.copytree(exported, tmp_path / "copy")
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"features": 1}))
    for features in (None, [[1, 2]], [[float("nan")]], [{"a": 1}]):
        with pytest.raises(ValueError, match="finite numbers of shape .1, 1.$"):
            load_runner(folder).predict(PAIRS[:1], features)


@pytest.mark.parametrize("name", ["model.onnx", "vocabulary.txt"])
def test_files_of_another_run_are_one_line(exported, tmp_path, name):
    shutil.copytree(exported, tmp_path / "copy")
    with open(tmp_path / "copy" / name, "ab") as file:
        file.write(b"x\n")
    result = run(tmp_path / "copy", *PAIRS[0])
    assert result.returncode == 2
    message = f"{name}: differs from its checksum in settings.json\n"
    assert result.stderr.endswith(message)
    assert result.stderr.count("\n") == 1


def test_existing_files_are_kept(exported, finished, capsys):
    arguments = [str(finished / "run"), "--format", "onnx", "--out", str(exported)]
    assert main(arguments) == 2
    assert "already exists. --force replaces it" in capsys.readouterr().err
