"""Train the model of a config file.

    python scripts/train.py configs/mini/dsa.yaml
    python scripts/train.py configs/snli/dsa.yaml --set training.epochs=1 seed=7
    KERAS_BACKEND=jax python scripts/train.py configs/snli/dsa.yaml --run runs/dsa_jax

Writes a run folder: config.yaml, vocabulary.txt, best.weights.h5, history.csv,
metrics.json, environment.json, log.txt and state/. A run that was stopped, even by
kill -9, goes on with the same command and --resume and ends the same. A feature-based
classifier has features.npz in the place of weights and state, and starts again.
"""

import argparse
import shlex
import sys

from dsa.command_line import command, logging_to
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.yaml_file import (
    Experiment,
    load_experiment,
    parse_overrides,
    run_path,
    shown_path,
)
from dsa.storage.folders import data_root


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
    options = parser.parse_args(arguments)

    overrides = parse_overrides(options.set)
    experiment = load_experiment(options.config, overrides)
    run = RunFolder(options.run or run_path(options.config, overrides, experiment.seed))
    new = not (options.resume and run.is_started())
    if not new:
        run.refuse_links()
        _refuse_other_settings(run, experiment)
    else:
        run.create()
        run.write("config.yaml", experiment.to_yaml())
    with logging_to(run.log):
        _train(options, experiment, run, new)


def _train(options, experiment, run, new):
    """Train in a run folder, evaluate on dev, and print the table."""
    from dsa.evaluation.evaluate import evaluate
    from dsa.evaluation.text import table
    from dsa.inference.loading import load
    from dsa.models.registry import FEATURES

    if experiment.model.name in FEATURES:
        from dsa.training.linear_training import train
    else:
        from dsa.training.network_training import train

    root = data_root(options.data_root)
    try:
        train(experiment, run, root, _command(options))
    except (InputError, OSError):
        if new:
            run.discard()
        raise
    except KeyboardInterrupt:
        print("stopped: the same command with --resume goes on", file=sys.stderr)
        raise
    print(table(evaluate(load(run.path, root=root), root, "dev")))
    print(f"run folder: {run.path}")


def _command(options):
    """The command without the folders of this machine."""
    overrides = f" --set {shlex.join(options.set)}" if options.set else ""
    return f"python scripts/train.py {shown_path(options.config)}{overrides}"


def _refuse_other_settings(run, experiment):
    found = run.experiment()
    if found != experiment:
        changed = [
            name
            for name in Experiment.model_fields
            if getattr(found, name) != getattr(experiment, name)
        ]
        raise InputError(
            f"{run.path} cannot be resumed with other settings than it was started "
            f"with. Changed sections: {', '.join(changed)}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
