"""Train the model of a config file.

    dsa train configs/mini/dsa.yaml
    dsa train configs/snli/dsa.yaml --set training.epochs=1 seed=7
    KERAS_BACKEND=jax dsa train configs/snli/dsa.yaml --run runs/dsa_jax

Writes a run folder: config.yaml, vocabulary.txt, best.weights.h5, history.csv,
metrics.json, sha256.json, environment.json, log.txt and state/. A run that was stopped,
even by kill -9, goes on with the same command and --resume and ends the same. A
feature-based classifier has features.npz instead of weights and state, and starts
again.
"""

import argparse
import sys

from dsa.console.command_line import command, show


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", help="YAML file of the experiment")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="override settings of the config",
    )
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--run", help="run folder (default: runs/<config>/seed-<n>)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with a run that is there; start it if there is none",
    )
    parser.add_argument(
        "--evaluate",
        nargs="+",
        default=[],
        metavar="SPLIT",
        help="evaluate these splits too, once, where their files exist",
    )
    options = parser.parse_args(arguments)

    from dsa.evaluation.text import describe_evaluation
    from dsa.sweeps.one_run import train_and_evaluate

    try:
        trained = train_and_evaluate(
            options.config,
            options.run,
            options.set,
            options.data_root,
            options.resume,
            options.evaluate,
        )
    except KeyboardInterrupt:
        print("stopped: the same command with --resume goes on", file=sys.stderr)
        raise
    for evaluation in trained.evaluations:
        show(describe_evaluation(trained.task, evaluation))
    show(f"run folder: {trained.path}")


if __name__ == "__main__":
    raise SystemExit(main())
