"""Export a trained model for programs without this package or Keras.

    dsa export RUN --format onnx --out FOLDER
    dsa export RUN --format savedmodel --out FOLDER
    dsa export RUN --format numpy --out FOLDER
    dsa export RUN --in-run

`onnx` writes `model.onnx`, which computes logits from token ids, and `run_onnx.py`, a
Python module that tokenizes texts and requires only NumPy, NLTK and onnxruntime. For
sentence encoders, it also writes `encoder.onnx`, which computes sentence vectors.
`savedmodel` writes the folder `saved_model` for TensorFlow. Both formats write
`vocabulary.txt`, and `settings.json` with the tokenizer and the labels. Exported
weights are always float32. Models of all backends are exported by TensorFlow.

`numpy` is the format of a linear model (`model.name: features`). It writes the weights
to `features.npz`, and `run_linear.py`, which requires only NumPy and NLTK.

`--in-run` writes the ONNX models to the folder `onnx` of the run, without a copy of the
weights. `dsa predict`, `dsa encode`, `dsa serve` and `dsa.load` then use onnxruntime
(`--runtime`), which starts several times faster than Keras. Releases contain these
models.
"""

from collections.abc import Sequence

from dsa.commands.options import add_out, make_parser
from dsa.commands.run_options import RUN_HELP, parse_options
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument("--format", help="onnx, savedmodel or numpy (required)")
    add_out(parser, "output folder (required)")
    parser.add_argument(
        "--in-run", action="store_true", help="write the ONNX export to the run folder"
    )
    options = parse_options(parser, arguments)

    from dsa.backends.choice import select_tensorflow
    from dsa.errors import InputError
    from dsa.inference.export.export_settings import check_format
    from dsa.inference.onnx_inference import FOLDER
    from dsa.runs.outputs import OutputFolder

    if options.in_run:
        if options.out is not None or options.format not in (None, "onnx"):
            raise InputError(
                "--in-run writes ONNX to the run and cannot be combined with --out"
            )
        options.format, options.force = "onnx", True
        options.out = options.run.path / FOLDER
    if options.format is None:
        raise InputError("--format is required: onnx, savedmodel or numpy")
    if options.format != "numpy":
        check_format(options.format)
    if options.out is None:
        raise InputError("--out is required: the output folder")
    if options.format == "numpy":
        from dsa.inference.export.export_linear import export_linear
        from dsa.inference.loading import load

        output = OutputFolder(options.out, options.force)
        for path in export_linear(load(options.run), output):
            show(path)
        return
    backend = select_tensorflow()
    if backend:
        show(f"exported with TensorFlow, because {backend} does not support exports")

    from dsa.inference.export.export_run import export_run
    from dsa.inference.loading import load

    output = OutputFolder(options.out, options.force)
    for path in export_run(load(options.run), options.format, output):
        show(path)
