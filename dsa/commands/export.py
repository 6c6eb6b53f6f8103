"""Export a trained model for programs without this package or Keras.

    dsa export RUN --format onnx --out FOLDER
    dsa export RUN --format savedmodel --out FOLDER
    dsa export RUN --format numpy --out FOLDER
    dsa export RUN --in-run

`onnx` writes `model.onnx`, which computes logits from token ids, and `run_onnx.py`, a
Python module that tokenizes texts and requires only NumPy, NLTK and onnxruntime. For
sentence encoders, it also writes `encoder.onnx`, which computes sentence vectors.
`savedmodel` writes the folder `saved_model` for TensorFlow. The weights of both formats
are always float32 and are exported by TensorFlow, whatever the backend.

`numpy` is the format of a linear model (`model.name: features`). It writes the weights
to `features.npz`, and `run_linear.py`, which requires only NumPy and NLTK.

All formats write `vocabulary.txt`, and `settings.json` with the tokenizer and the
labels.

`--in-run` writes the ONNX models to the folder `onnx` of the run, without a copy of the
weights. It replaces the files of an earlier export. `dsa predict`, `dsa encode`,
`dsa serve` and `dsa.load` then use onnxruntime (`--runtime`), which starts several
times faster than Keras. The released runs contain these files.
"""

from argparse import Namespace
from collections.abc import Sequence

from dsa.commands.options import add_out, make_parser
from dsa.commands.run_options import RUN_HELP, find_runs
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.terminal import show

FORMATS = ("onnx", "savedmodel", "numpy")


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument(
        "--format", choices=FORMATS, help="export format (required without --in-run)"
    )
    add_out(parser, "output folder (required without --in-run)")
    parser.add_argument(
        "--in-run", action="store_true", help="write the ONNX export to the run folder"
    )
    options = parser.parse_intermixed_args(arguments)
    _check_options(options)
    find_runs(options)

    from dsa.backends.choice import select_tensorflow
    from dsa.inference.export.export_linear import export_linear
    from dsa.inference.loading import load
    from dsa.inference.onnx_inference import ONNX_FOLDER
    from dsa.runs.outputs import OutputFolder

    if options.in_run:
        export_format = "onnx"
        output = OutputFolder(options.run.path / ONNX_FOLDER, force=True)
    else:
        export_format = options.format
        output = OutputFolder(options.out, options.force)
    if export_format == "numpy":
        paths = export_linear(load(options.run), output)
    else:
        replaced_backend = select_tensorflow()
        if replaced_backend:
            show(f"exporting with TensorFlow instead of {replaced_backend}")

        from dsa.inference.export.export_run import export_run

        paths = export_run(load(options.run), export_format, output)
    for path in paths:
        show(path)


def _check_options(options: Namespace) -> None:
    """Raises `InputError` for missing or conflicting options."""
    if options.in_run:
        if options.out is not None or options.format not in (None, "onnx"):
            raise InputError(
                "--in-run cannot be combined with --out or with a --format other than "
                "onnx"
            )
        return
    if options.format is None:
        raise InputError(f"--format is required: {', '.join(FORMATS)}")
    if options.out is None:
        raise InputError("--out is required: the output folder")
