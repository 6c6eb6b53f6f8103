"""Train the model of a config file.

    dsa train configs/mini/dsa.yaml
    dsa train configs/snli/dsa.yaml --set training.epochs=1 seed=7
    KERAS_BACKEND=jax dsa train configs/snli/dsa.yaml --run runs/dsa_jax

Writes a run folder: config.yaml, vocabulary.txt, best.weights.h5, history.csv,
metrics.json, sha256.json, environment.json, log.txt and state/. Feature-based
classifiers write features.npz instead of weights and state.

--resume continues an interrupted run, even after kill -9. On a CPU, the result is equal
to the result of an uninterrupted run. Feature-based classifiers restart from the
beginning.
"""

import sys
from collections.abc import Sequence

from dsa.commands.options import add_data_root, add_set, make_parser
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("config", help="YAML file of the experiment")
    add_set(parser)
    add_data_root(parser)
    parser.add_argument("--run", help="run folder (default: runs/<config>/seed-<n>)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="resume the run if it exists, otherwise start a new run",
    )
    parser.add_argument(
        "--evaluate",
        nargs="+",
        default=[],
        metavar="SPLIT",
        help="splits to evaluate, if their files exist; predictions are stored as "
        "answers_SPLIT.npz",
    )
    options = parser.parse_args(arguments)

    from dsa.api.training import train_and_evaluate

    try:
        trained = train_and_evaluate(
            options.config,
            run=options.run,
            overrides=options.set,
            data_root=options.data_root,
            resume=options.resume,
            splits=options.evaluate,
        )
    except KeyboardInterrupt:
        print(
            "training was stopped. To continue it, add --resume",
            file=sys.stderr,
        )
        raise

    from dsa.evaluation.evaluate import describe_evaluation
    from dsa.inference.onnx_inference import can_have_onnx
    from dsa.runs.run_folder import WITH_DEV, RunFolder

    for evaluation in trained.evaluations:
        show(describe_evaluation(trained.task, evaluation))
    show(f"run folder: {trained.path}")
    refit = RunFolder(trained.path / WITH_DEV)
    if refit.is_started():
        show(f"refit on train and dev, not evaluated: {refit.path}")
    if can_have_onnx(RunFolder(trained.path)):
        show(f"to predict without Keras: dsa export {trained.path} --in-run")
