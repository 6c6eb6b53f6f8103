"""Write a trained model as files for programs that have neither this package nor Keras.

    dsa export RUN --format onnx --out FOLDER
    dsa export RUN --format savedmodel --out FOLDER
    dsa export RUN --in-run

`onnx` writes `model.onnx` (token ids to logits), for a model that encodes also
`encoder.onnx` (token ids to the vector of a sentence), and `run_onnx.py`, which reads
texts and needs only NumPy, NLTK and onnxruntime. `savedmodel` writes the folder
`saved_model` for TensorFlow. Both write `vocabulary.txt`, and `settings.json` with the
tokenizer and the labels. The numbers are float32, whatever precision the run was
trained with, and the model is exported from TensorFlow, whatever backend trained it.

`--in-run` writes the ONNX form into the folder `onnx` of the run. From then on `dsa
predict` and `dsa encode` answer by it where onnxruntime is installed, which starts in
a tenth of the time (`--runtime`).
"""

from dsa.commands.options import add_out, make_parser
from dsa.commands.run_options import parse_options
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("run", help="run folder")
    parser.add_argument("--format", help="onnx or savedmodel (needed)")
    add_out(parser, "folder for the files (needed)")
    parser.add_argument(
        "--in-run", action="store_true", help="write the ONNX form into the run"
    )
    options = parse_options(parser, arguments)

    from dsa.backends.choice import choose_tensorflow
    from dsa.errors import InputError
    from dsa.inference.export.model_facts import MOST_BYTES, check_format
    from dsa.inference.onnx_inference import FOLDER
    from dsa.runs.outputs import OutputFolder

    if options.in_run:
        if options.out is not None or options.format not in (None, "onnx"):
            raise InputError("--in-run: writes onnx, into the run: without --out")
        options.format, options.force = "onnx", True
        options.out = options.run.path / FOLDER
    if options.format is None:
        raise InputError(f"--format is needed: {' or '.join(MOST_BYTES)}")
    check_format(options.format)
    if options.out is None:
        raise InputError("--out: the folder for the files is needed")
    if other := choose_tensorflow():
        show(f"exported from TensorFlow instead of {other}: only it writes these files")

    from dsa.inference.export.write import export_run
    from dsa.inference.loading import load

    output = OutputFolder(options.out, options.force)
    for path in export_run(load(options.run), options.format, output):
        show(path)
