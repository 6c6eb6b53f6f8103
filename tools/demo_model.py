"""Export the model of the live demonstration, with alpha as an input of the graph.

    python -m tools.demo_model --out build/demo
    python -m tools.demo_model --out build/demo --words 20000

Writes model.onnx, vocabulary.txt and settings.json for `docs/demo`. Inputs of the
graph: `premise` and `hypothesis`, ids `(1, L)`, and `alpha`, the factor of the distance
mask (Im & Cho 2017, section 4.2.2, equation 7). Outputs: `logits` `(1, 3)` and, for
each sentence and direction, such as `premise_forward`, the attention averaged over
heads `(L, L)`.

Large weights are stored in float16, which is lossless for a float16 release; the graph
computes in float32. --words truncates the vocabulary; all other words map to the
unknown token.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import dsa
from dsa.data.words.vocabulary import FIRST_WORD, UNKNOWN
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command

OPSET = 17
MIN_FLOAT16_SIZE = 4096  # elements; smaller initializers stay in float32
FILES = ("model.onnx", "vocabulary.txt", "settings.json")


class GraphInput:
    """Wraps a scalar graph input so that layers can use it as a Python number.

    A layer adds the distance mask only `if alpha`. The wrapper is always true, because
    the value of a graph input is not available during tracing.
    """

    def __init__(self, tensor):
        self.tensor = tensor

    def __bool__(self):
        return True

    def __mul__(self, other):
        return self.tensor * other


def trace_with_alpha(model):
    """Returns a TensorFlow function with inputs premise, hypothesis and alpha.

    Args:
        model: a `SentencePairClassifier` over a `DSAEncoder` with the distance mask.
    """
    import tensorflow as tf

    ids = [tf.TensorSpec((1, None), tf.int32, name=n) for n in model.sentences]

    @tf.function(input_signature=[*ids, tf.TensorSpec((), tf.float32, name="alpha")])
    def compute(premise, hypothesis, alpha):
        attentions = [block.self_attention for block in model.encoder.directions]
        trained_alpha = attentions[0].alpha
        for layer in attentions:
            layer.alpha = GraphInput(alpha)
        try:
            inputs = {"premise": premise, "hypothesis": hypothesis}
            logits, maps = model.explain(inputs)
        finally:
            for layer in attentions:
                layer.alpha = trained_alpha
        outputs = {"logits": logits}
        for token_map in maps:
            if token_map.what == "attention":
                name = f"{token_map.sentence}_{token_map.direction}"
                outputs[name] = tf.reduce_mean(token_map.values[0], axis=0)
        return outputs

    return compute


def convert_to_onnx(function):
    """Converts a traced function to ONNX with large weights in float16."""
    import onnx
    import tf2onnx
    from onnx import helper, numpy_helper

    model, _ = tf2onnx.convert.from_function(
        function, input_signature=function.input_signature, opset=OPSET
    )
    graph = model.graph
    for initializer in list(graph.initializer):
        array = numpy_helper.to_array(initializer)
        if array.dtype != np.float32 or array.size < MIN_FLOAT16_SIZE:
            continue
        half = array.astype(np.float16)
        graph.initializer.remove(initializer)
        name = f"{initializer.name}_float16"
        graph.initializer.append(numpy_helper.from_array(half, name))
        cast = helper.make_node("Cast", [name], [initializer.name], to=1)
        graph.node.insert(0, cast)
    onnx.checker.check_model(model)
    return model


def truncate_embedding(onnx_model, rows, new_rows):
    """Truncates the embedding matrix of a graph in place.

    Args:
        onnx_model: the ONNX model.
        rows: current number of rows, which identifies the matrix.
        new_rows: number of rows after truncation.

    Raises: `ValueError` unless exactly one initializer has `rows` rows.
    """
    from onnx import numpy_helper

    matrices = [i for i in onnx_model.graph.initializer if list(i.dims[:1]) == [rows]]
    if len(matrices) != 1:
        raise ValueError(
            f"Expected one initializer with {rows} rows. Received: {len(matrices)}"
        )
    array = numpy_helper.to_array(matrices[0])
    matrices[0].CopyFrom(numpy_helper.from_array(array[:new_rows], matrices[0].name))


def export_demo(name, out, words=None):
    """Writes the files of the demonstration.

    Args:
        name: release name or run folder of a DSA pair classifier.
        out: output folder.
        words: maximum vocabulary size; `None` for all words.

    Raises: `InputError` unless the model is a DSA with the distance mask.
    """
    trained = dsa.load(name)
    config = trained.experiment.model
    if config.name != "dsa" or trained.experiment.data.view or not config.alpha:
        raise InputError(
            f"{name}: the demo requires a DSA with distance mask and without view"
        )
    onnx_model = convert_to_onnx(trace_with_alpha(trained.model))
    vocabulary = trained.vocabulary.to_text().split("\n")[:-1]
    kept = vocabulary[:words]
    if len(kept) < len(vocabulary):
        rows = len(vocabulary) + FIRST_WORD
        truncate_embedding(onnx_model, rows, len(kept) + FIRST_WORD)
    settings = {
        "name": name,
        "labels": list(trained.task.names),
        "alpha": config.alpha,
        "lowercase": trained.experiment.tokenizer.lowercase,
        "first_word": FIRST_WORD,
        "unknown": UNKNOWN,
    }
    contents = (
        onnx_model.SerializeToString(),
        "".join(f"{word}\n" for word in kept).encode(),
        json.dumps(settings, indent=1).encode(),
    )
    Path(out).mkdir(parents=True, exist_ok=True)
    for file, content in zip(FILES, contents, strict=True):
        write_atomically(Path(out, file), content)


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", default="snli", help="release or run folder of a DSA")
    parser.add_argument("--out", required=True, type=Path, help="output folder")
    parser.add_argument(
        "--words", type=int, help="vocabulary size (default: all words)"
    )
    options = parser.parse_args(arguments)
    export_demo(options.run, options.out, options.words)


if __name__ == "__main__":
    raise SystemExit(main())
