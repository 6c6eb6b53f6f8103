"""One folder never mixes the files of two runs."""

import json
import types

import keras
import numpy as np
import pytest

import dsa.inference.export.write as write
from dsa.errors import InputError
from dsa.experiment.outputs import OutputFolder

pytest.importorskip("onnxruntime")
pytest.importorskip("tf2onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="models are exported by TensorFlow"
)


@pytest.fixture
def export(monkeypatch):
    """A function that exports a run whose model is only its weight, a number."""
    settings = {"dsa": "1", "format": 1}
    monkeypatch.setattr(write, "check_model", lambda *_: None)
    monkeypatch.setattr(write, "describe_run", lambda _: dict(settings))
    monkeypatch.setattr(write, "make_float32_model", lambda trained: trained.model)
    monkeypatch.setattr(write, "write_saved_model", _write_saved_model)
    monkeypatch.setattr(write, "make_onnx", lambda function: b"%d" % function)

    def export(number, format, folder, force=False):
        part = types.SimpleNamespace(compute=number, inputs=None, output=None)
        monkeypatch.setattr(write, "list_parts", lambda *_: {"model": part})
        monkeypatch.setattr(write, "trace", lambda compute, *_: compute)
        trained = types.SimpleNamespace(
            model=types.SimpleNamespace(get_weights=lambda: [np.array([number])]),
            vocabulary=types.SimpleNamespace(to_text=lambda: "a\n"),
            experiment=None,
        )
        write.export_run(trained, format, OutputFolder(folder, force))
        return json.loads((folder / "settings.json").read_text())["sha256"]

    return export


def _write_saved_model(folder, model, functions):
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(b"%d" % model.get_weights()[0][0])


def names_of(folder):
    return {path.name for path in folder.iterdir()}


BOTH = {"model.onnx", "run_onnx.py", "saved_model", "vocabulary.txt", "settings.json"}


@pytest.mark.parametrize("formats", [["onnx", "savedmodel"], ["savedmodel", "onnx"]])
def test_both_formats_of_a_run_fit_into_one_folder(formats, export, tmp_path):
    for format in formats:
        recorded = export(1, format, tmp_path)
    assert names_of(tmp_path) == BOTH
    files = {"vocabulary.txt", "model.onnx", "saved_model/saved_model.pb"}
    assert {*recorded} == files
    with pytest.raises(InputError, match="is there already. --force replaces it"):
        export(1, formats[0], tmp_path)
    assert export(1, formats[0], tmp_path, force=True) == recorded


def test_another_run_is_refused_and_force_removes_all_of_the_first(export, tmp_path):
    export(1, "onnx", tmp_path)
    with pytest.raises(InputError, match="is there already. --force replaces it"):
        export(2, "savedmodel", tmp_path)
    (tmp_path / "mine.txt").touch()
    recorded = export(2, "savedmodel", tmp_path, force=True)
    assert {*recorded} == {"vocabulary.txt", "saved_model/saved_model.pb"}
    own = {"saved_model", "vocabulary.txt", "settings.json", "mine.txt"}
    assert names_of(tmp_path) == own
    assert {*export(3, "onnx", tmp_path, force=True)} == {
        "vocabulary.txt",
        "model.onnx",
    }
    assert names_of(tmp_path) == BOTH - {"saved_model"} | {"mine.txt"}


def test_files_of_something_else_are_not_removed(export, tmp_path):
    (tmp_path / "model.onnx").write_text("mine")
    (tmp_path / "settings.json").write_text('{"a": 1}')
    recorded = export(1, "savedmodel", tmp_path, force=True)
    assert (tmp_path / "model.onnx").read_text() == "mine"
    assert "model.onnx" not in recorded  # the runner refuses it
