"""Speed-up of training steps by this project's forms of some Keras operations.

    DSA_DATA=<corpora> python benchmarks/fast_forms.py [--forms adam] [--steps 5]
      [--out FILE]

The published models train with `fit` on TensorFlow, in float32, on the same batches of
the available training file (SNLI, else the bundled corpus), unchanged and with one form
replaced by the Keras implementation. Forms:

    layer_normalization  `LayerNormalization`, in DSA (`configs/snli/dsa.yaml`)
    untuned_dataset      dataset of `feed` without autotuning, in DSA
    adam                 Adam update as one operation, in ESIM with trainable word
                         vectors (`configs/snli/esim.yaml`)
    adadelta             Adadelta update as one operation, in DiSAN with trainable word
                         vectors (`configs/snli/disan.yaml`)

Each side is a process that runs for all rounds. It trains on all its batches once to
warm up, and then once in each round. For the dataset, the time includes the return of
`fit`. The sides of a model alternate within a round, so that a drift of the machine's
speed affects all sides. A ratio is the time with the Keras form divided by the time
with our form in the same round. A form is worth its code if the median of the ratios is
at least 1.03. For the dataset the mean is used, because the wait that its form avoids
occurs in some rounds only.
"""

import json
import os
import statistics
import sys

import machine_load
import measuring

MIN_RATIO = 1.03  # time with the Keras form divided by the time with our form


def use_keras_layer_normalization():
    from dsa.backends.layer_normalization import LayerNormalization

    del LayerNormalization.call


def use_keras_dataset():
    from dsa.backends import feed

    feed.disable_autotuning = lambda dataset: dataset


def use_keras_adam():
    from dsa.backends.optimizers import SummedAdam

    del SummedAdam.update_step


def use_keras_adadelta():
    from dsa.backends.optimizers import SummedAdadelta

    del SummedAdadelta.update_step


FORMS = {  # model, function that installs Keras's form, the figure to compare
    "layer_normalization": ("dsa", use_keras_layer_normalization, "step_seconds"),
    "untuned_dataset": ("dsa", use_keras_dataset, "seconds_until_returned"),
    "adam": ("esim", use_keras_adam, "step_seconds"),
    "adadelta": ("disan", use_keras_adadelta, "step_seconds"),
}
AVERAGES = {
    "step_seconds": statistics.median,
    "seconds_until_returned": statistics.fmean,
}


def name_side(form):
    """Returns the name of a side with the Keras form, such as "esim, Keras's adam"."""
    return f"{FORMS[form][0]}, Keras's {form}"


def list_sides(forms):
    """Returns the sides of each model: the unchanged model, and the model with each of
    its forms replaced."""
    models = dict.fromkeys(FORMS[form][0] for form in forms)
    return [
        [model, *(name_side(form) for form in forms if FORMS[form][0] == model)]
        for model in models
    ]


def run_side(name, steps, orders):
    """Trains in this process once per line of `orders`, and prints the figures of each
    line as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import train_step

    from dsa.experiment.yaml_file import load_experiment

    if keras.backend.backend() != "tensorflow":
        raise SystemExit("These forms require TensorFlow. Set KERAS_BACKEND=tensorflow")
    for form, (_, use_keras_form, _) in FORMS.items():
        if name == name_side(form):
            use_keras_form()
    experiment = load_experiment(f"configs/snli/{name.partition(',')[0]}.yaml")
    keras.utils.set_random_seed(0)
    make_batch, _ = train_step.prepare_real_batches(experiment)
    model = train_step.build_model(experiment)
    train_step.train_turns(model, experiment, make_batch, steps, turns=1)
    print(json.dumps({"ran_on": measuring.describe_process()}), flush=True)
    for _ in orders:
        turns = train_step.train_turns(model, experiment, make_batch, steps, turns=1)
        seconds = turns.seconds[0]
        figures = {
            "step_seconds": seconds / steps,
            "pairs_per_second": experiment.training.batch_size * steps / seconds,
            "seconds_until_returned": turns.returned - turns.began[0],
        }
        print(json.dumps(figures), flush=True)


def compare_forms(forms, figures):
    """Returns the ratios of each form, for the record."""
    ratios = {}
    for form in forms:
        model, _, figure = FORMS[form]
        with_keras, with_ours = figures[name_side(form)], figures[model]
        ratios[form] = measuring.list_ratios(with_keras[figure], with_ours[figure])
    return {
        "seconds_with_the_form_of_keras_against_ours": {
            form: round(AVERAGES[FORMS[form][2]](values), 3)
            for form, values in ratios.items()
        },
        "ratios_of_the_rounds": ratios,
    }


def print_verdicts(facts):
    """Prints to standard error whether each form is worth its code."""
    averages = facts["seconds_with_the_form_of_keras_against_ours"]
    for form, average in averages.items():
        ratios = facts["ratios_of_the_rounds"][form]
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}, {len(ratios)} rounds"
        verdict = "worth its code" if average >= MIN_RATIO else "not shown to be faster"
        print(
            f"{form}: Keras's form takes {average:.3f} times as long ({spread}): "
            f"{verdict}",
            file=sys.stderr,
        )


def main():
    parser = measuring.make_parser(__doc__, rounds=10)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--steps", type=int, default=5, help="per round and side")
    options = parser.parse_args()
    if options.side:
        return run_side(options.side, options.steps, sys.stdin)
    load = machine_load.refuse_load(options.anyway)
    figures = {}
    for sides in list_sides(options.forms):
        commands = measuring.make_commands(__file__, sides)
        for command in commands.values():
            command += ["--steps", str(options.steps)]
        figures |= measuring.run_alternately(commands, options.rounds)
    facts = compare_forms(options.forms, figures)
    measuring.report(__file__, options, load, figures, **facts)
    print_verdicts(facts)


if __name__ == "__main__":
    main()
