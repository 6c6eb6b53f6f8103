"""An ONNX file of a downloaded run is computed as data: any graph is possible."""

import hashlib
import json
import time

import numpy as np
import pytest

from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.errors import InputError
from dsa.inference import onnx_inference
from dsa.models.registry import FAMILIES

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper  # noqa: E402

ROWS = ModelRows(
    Sentences.from_lists([[2, 3], [4]]), np.array([[0], [1]]), ("sentence",)
)


def constant(name, value, kind=TensorProto.FLOAT):
    array = np.array(value)
    tensor = helper.make_tensor(name, kind, array.shape, array.ravel().tolist())
    return helper.make_node("Constant", [], [name], value=tensor)


def compute(folder, nodes, shape):
    """Computes the logits of two rows by a graph with the output `logits`."""
    inputs = [helper.make_tensor_value_info("sentence", TensorProto.INT32, ["n", "l"])]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)]
    model = helper.make_model(
        helper.make_graph(nodes, "graph", inputs, outputs),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    content = model.SerializeToString()
    (folder / "model.onnx").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    settings = {"sha256": {"model.onnx": digest}}
    (folder / "settings.json").write_text(json.dumps(settings))
    inference = onnx_inference.OnnxInference(
        folder,
        folder / "weights",
        FAMILIES["dsa"],
        num_outputs=3,
        load_network=lambda: None,
    )
    return inference.logits(ROWS)


def test_finite_numbers_for_each_row_are_logits(tmp_path):
    logits = compute(tmp_path, [constant("logits", np.ones((2, 3)))], [2, 3])
    np.testing.assert_array_equal(logits, np.ones((2, 3)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.0, r"shape \(2, features\). Received: \(\)"),
        (np.ones(3), r"shape \(2, features\). Received: \(3,\)"),
        (np.ones((5, 3)), r"shape \(2, features\). Received: \(5, 3\)"),
        (np.full((2, 3), np.nan), "outputs are NaN or infinite"),
        (np.full((2, 3), np.inf), "outputs are NaN or infinite"),
        (np.ones((2, 4)), "the ONNX files do not match the model"),
    ],
)
def test_other_outputs_are_an_error_of_one_line(tmp_path, value, message):
    with pytest.raises(InputError, match=message):
        compute(tmp_path, [constant("logits", value)], list(np.shape(value)))


def test_a_loop_without_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_inference, "MAX_SECONDS", 0.5)
    bools, floats = TensorProto.BOOL, TensorProto.FLOAT
    body = helper.make_graph(
        [
            helper.make_node("Add", ["before", "before"], ["after"]),
            helper.make_node("Identity", ["go"], ["go_on"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", bools, []),
            helper.make_tensor_value_info("before", floats, [2, 3]),
        ],
        [
            helper.make_tensor_value_info("go_on", bools, []),
            helper.make_tensor_value_info("after", floats, [2, 3]),
        ],
    )
    nodes = [
        constant("steps", 2**62, TensorProto.INT64),
        constant("true", True, bools),
        constant("zeros", np.zeros((2, 3))),
        helper.make_node("Loop", ["steps", "true", "zeros"], ["logits"], body=body),
    ]
    began = time.monotonic()
    with pytest.raises(InputError, match="model.onnx: inference failed"):
        compute(tmp_path, nodes, [2, 3])
    assert time.monotonic() - began < 30
