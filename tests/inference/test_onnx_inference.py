"""A run's ONNX form gives the answers of the run, and no Keras is imported for them."""

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
from dsa.commands.encode import main as encode
from dsa.commands.export import main as export
from dsa.commands.predict import main as predict
from dsa.errors import InputError
from dsa.inference.loading import load
from dsa.inference.onnx_inference import OnnxInference, choose_onnx
from dsa.inference.serving.json_model import load_json_model
from dsa.runs.run_folder import RunFolder
from tests.support.runs import VECTORS, write_experiment

pytest.importorskip("onnxruntime")
pytest.importorskip("tf2onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="models are exported by TensorFlow"
)

PAIRS = [("a man sleeps", "the dog"), ("a", "a dog and a cat ."), ("the cat", "man")]
SMALL = {
    "encoder": {"name": "swem", "units": 5, "classifier": {"units": 3}},
    "pairs": {"name": "decomposable", "units": 5},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder with a run of each kind, with its ONNX form, and a vector file."""
    folders = {}
    for name, model in SMALL.items():
        folder = tmp_path_factory.mktemp(name)
        (folder / "vectors.txt").write_text(VECTORS + "zebra 1 2 3 4\n")
        embedding = {"path": "vectors.txt", "units": 4, "trainable": False}
        config = write_experiment(folder, model=model, embedding=embedding)
        dsa.train(config, folder / "run", data_root=folder)
        assert export([str(folder / "run"), "--in-run"]) == 0
        folders[name] = folder
    return folders


@pytest.mark.parametrize("kind", SMALL)
def test_the_answers_are_those_of_keras(folders, kind):
    run = folders[kind] / "run"
    fast, slow = load(run, runtime="auto"), load(run)
    assert isinstance(fast.inference, OnnxInference)
    many = PAIRS * 30
    for one, other in zip(fast.predict(many), slow.predict(many), strict=True):
        assert one.label == other.label
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-5)
    assert "network" not in vars(fast.inference)  # Keras has not been needed
    np.testing.assert_allclose(
        fast.explain(*PAIRS[0]).logits, slow.explain(*PAIRS[0]).logits, atol=1e-5
    )
    assert fast.model.count_params() == slow.model.count_params()


@pytest.mark.parametrize("kind", SMALL)
def test_the_service_answers_by_it_and_explains_by_keras(folders, kind):
    run = folders[kind] / "run"
    fast, slow = (load_json_model(run, runtime, 8) for runtime in ("auto", "keras"))
    assert isinstance(fast.trained.inference, OnnxInference)
    for asked in ("predict", "explain"):
        for one, other in zip(fast(asked, PAIRS), slow(asked, PAIRS), strict=True):
            assert json.loads(one)["probabilities"] == pytest.approx(
                json.loads(other)["probabilities"], abs=1e-5
            )
    assert fast.has_encoder == (kind == "encoder")
    if fast.has_encoder:
        texts = [(text,) for pair in PAIRS for text in pair]
        one, other = (
            [json.loads(answer)["vector"] for answer in answers("encode", texts)]
            for answers in (fast, slow)
        )
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_sentence_vectors_are_those_of_keras(folders):
    run, texts = folders["encoder"] / "run", [text for pair in PAIRS for text in pair]
    fast, slow = load(run, runtime="onnx"), load(run)
    np.testing.assert_allclose(fast.encode(texts), slow.encode(texts), atol=1e-5)
    assert fast.encode([]).shape == slow.encode([]).shape
    assert fast.predict([]) == []
    maps = fast.explain_sentence(texts[0])
    assert maps.keys() == slow.explain_sentence(texts[0]).keys()


def test_words_of_the_vector_file_are_looked_up(folders):
    run, texts = folders["encoder"] / "run", ["zebra", "a man"]
    vectors = folders["encoder"] / "vectors.txt"
    fast, slow = (load(run, vectors, runtime=name) for name in ("auto", "keras"))
    found = fast.encode(texts)
    np.testing.assert_allclose(found, slow.encode(texts), atol=1e-5)
    assert np.abs(found[0] - fast.encode(["unknown words"])[0]).max() > 1e-3


def test_no_keras_is_imported_for_an_answer(folders, tmp_path):
    (tmp_path / "sentences.txt").write_text("a man\nthe dog\n")
    code = (
        "import sys\n"
        "from dsa.commands.predict import main as predict\n"
        "from dsa.commands.encode import main as encode\n"
        "run, folder = sys.argv[1:]\n"
        "assert predict([run, 'a man', 'the dog']) == 0\n"
        "assert encode([run, '--file', folder + '/sentences.txt', '--out',\n"
        "               folder + '/vectors.npy']) == 0\n"
        "print(sorted({'keras', 'tensorflow', 'sklearn'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folders["encoder"] / "run"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert np.load(tmp_path / "vectors.npy").shape == (2, 5)


def test_dsa_load_uses_it_unless_keras_is_chosen(folders):
    run = folders["encoder"] / "run"
    assert isinstance(dsa.load(run).inference, OnnxInference)
    assert isinstance(dsa.ensemble([run]).members[0].inference, OnnxInference)
    assert not isinstance(dsa.load(run, runtime="keras").inference, OnnxInference)
    with pytest.raises(InputError, match="auto, keras, onnx. Received: 'tensorrt'"):
        dsa.load(run, runtime="tensorrt")


def test_it_has_no_copy_of_the_vocabulary(folders):
    run = folders["encoder"] / "run"
    assert sorted(path.name for path in (run / "onnx").iterdir()) == [
        "encoder.onnx",
        "model.onnx",
        "settings.json",
    ]


def test_shards_are_computed_by_it_unless_keras_adds_words(folders, tmp_path, capsys):
    run, file = str(folders["encoder"] / "run"), tmp_path / "sentences.txt"
    file.write_text("".join(f"{text}\n" for pair in PAIRS for text in pair))
    line = [run, "--file", str(file), "--shard-rows", "4"]
    for runtime in ("keras", "onnx"):
        out = ["--out", str(tmp_path / runtime), "--runtime", runtime]
        assert encode([*line, *out]) == 0
    vectors = dsa.open_vectors(tmp_path / "onnx")
    np.testing.assert_allclose(vectors, dsa.open_vectors(tmp_path / "keras"), atol=1e-5)
    manifest = json.loads((tmp_path / "onnx/manifest.json").read_text())
    assert manifest["backend"] == "onnx"
    out = ["--out", str(tmp_path / "new"), "--runtime", "onnx"]
    words = str(folders["encoder"] / "vectors.txt")
    assert encode([*line, *out, "--vectors", words]) == 2
    assert "onnx cannot add vectors of new words" in capsys.readouterr().err


def test_keras_answers_where_the_form_is_missing_or_of_other_weights(
    folders, tmp_path, capsys
):
    run = tmp_path / "run"
    shutil.copytree(folders["encoder"] / "run", run)
    settings, weights = run / "onnx/settings.json", run / "best.weights.h5"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1])
    assert choose_onnx(RunFolder(run), "auto") is None
    weights.write_bytes(content)
    assert choose_onnx(RunFolder(run), "auto") == run / "onnx"
    assert choose_onnx(RunFolder(run), "keras") is None
    text = settings.read_text()
    settings.write_text(json.dumps(json.loads(text) | {"run_weights": "0" * 64}))
    assert choose_onnx(RunFolder(run), "auto") is None
    assert predict([str(run), *PAIRS[0], "--runtime", "onnx"]) == 2
    assert "the ONNX files are outdated" in capsys.readouterr().err
    settings.unlink()
    with pytest.raises(InputError, match="the ONNX files are missing"):
        choose_onnx(RunFolder(run), "onnx")
    assert predict([str(run), *PAIRS[0]]) == 0


def test_a_damaged_form_is_told_in_one_line(folders, tmp_path, capsys):
    run = tmp_path / "run"
    shutil.copytree(folders["encoder"] / "run", run)
    path = run / "onnx/model.onnx"
    path.write_bytes(path.read_bytes()[:-9])
    assert predict([str(run), *PAIRS[0]]) == 2
    error = capsys.readouterr().err
    reason = "not readable: the SHA-256 differs from settings.json"
    assert error.endswith(f"error: {path}: {reason}\n")
    (tmp_path / "sentences.txt").write_text("a man\n")
    files = ["--file", str(tmp_path / "sentences.txt"), "--out"]
    assert encode([str(run), *files, str(tmp_path / "vectors.npy")]) == 0


@pytest.mark.parametrize("more", [["--out", "x"], ["--format", "savedmodel"]])
def test_the_form_of_a_run_has_its_place(folders, more, capsys):
    assert export([str(folders["encoder"] / "run"), "--in-run", *more]) == 2
    assert "--in-run cannot be combined with --out or" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("secret", "not readable: "),
        ("shape", "inference failed: "),
        ("logits", "the ONNX files do not match the model"),
    ],
)
def test_a_hostile_form_is_one_line(folders, tmp_path, change, reason):
    """Though `settings.json` has its hash: weights that are bytes of another file, an
    answer that has no such shape, and one of another length."""
    onnx = pytest.importorskip("onnx")
    run, secret = tmp_path / "run", tmp_path / "secret"
    shutil.copytree(folders["encoder"] / "run", run)
    path, settings = run / "onnx/model.onnx", run / "onnx/settings.json"
    model = onnx.load(path)
    logits = model.graph.output[0].name
    kernel = max(model.graph.initializer, key=lambda each: len(each.raw_data))
    if change == "secret":
        secret.write_bytes(kernel.raw_data)
        onnx.external_data_helper.set_external_data(kernel, "../../secret")
        kernel.ClearField("raw_data")
        kernel.data_location = onnx.TensorProto.EXTERNAL
    else:
        (last,) = [node for node in model.graph.node if logits in node.output]
        last.output[0] = "before"
        odd = onnx.numpy_helper.from_array(np.array([-1, 7]), "odd")
        model.graph.initializer.append(odd)
        if change == "shape":
            node = onnx.helper.make_node("Reshape", ["before", "odd"], [logits])
        else:
            node = onnx.helper.make_node("Concat", ["before"] * 2, [logits], axis=1)
        model.graph.node.append(node)
        del model.graph.output[0].type.tensor_type.shape.dim[:]
    path.write_bytes(model.SerializeToString())
    content = json.loads(settings.read_text())
    content["sha256"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    settings.write_text(json.dumps(content))
    with pytest.raises(InputError, match=reason) as error:
        load(run, runtime="onnx").predict(PAIRS)
    assert "\n" not in str(error.value)


def test_a_bfloat16_run_gets_no_files_that_it_would_not_use(tmp_path, capsys):
    training = {"precision": "mixed_bfloat16", "epochs": 1}
    config = write_experiment(tmp_path, model=SMALL["encoder"], training=training)
    dsa.train(config, tmp_path / "run", data_root=tmp_path)
    assert export([str(tmp_path / "run"), "--in-run"]) == 2
    assert "--in-run requires 'training.precision: float32'" in capsys.readouterr().err
    assert not (tmp_path / "run" / "onnx").exists()
