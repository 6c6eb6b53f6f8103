"""Training time of DSA with the distance mask relative to the time without it.

    DSA_DATA=<corpora> python benchmarks/mask_cost.py [--rounds 5] [--steps 100]
      [--set KEY=VALUE] [--out FILE]

The published model (`configs/snli/dsa.yaml`, 300-d frozen vectors, batches of 64 pairs)
trains with `fit`, with alpha 1.5 and with alpha 0 (`configs/snli/dsa_no_distance.yaml`)
on the same batches of the available training file. Each side is a process that trains
on all its batches once to warm up, and then once in each round. The sides alternate,
and change their order from round to round, so that a drift of the machine's speed
affects both. The result is the geometric mean of the ratios of the rounds with a 95 %
interval (Student's t on the logarithms). Token ids are random, because the time does
not depend on their values.
"""

import json
import os

import measuring
import train_step

SIDES = {
    "mask": "configs/snli/dsa.yaml",
    "no mask": "configs/snli/dsa_no_distance.yaml",
}


def run_side(name, steps, overrides, orders):
    """Trains once per line of `orders` and prints the seconds per step as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras

    from dsa.experiment.yaml_file import load_experiment

    experiment = load_experiment(SIDES[name], overrides)
    keras.utils.set_random_seed(0)
    make_batch, _ = train_step.prepare_real_batches(experiment)
    model = train_step.build_model(experiment)
    train_step.train_turns(model, experiment, make_batch, steps, turns=1)
    print(json.dumps({"ran_on": measuring.describe_process()}), flush=True)
    for _ in orders:
        turns = train_step.train_turns(model, experiment, make_batch, steps, turns=1)
        print(json.dumps({"step_seconds": turns.seconds[0] / steps}), flush=True)


def compare_sides(figures):
    """Returns the ratio of the seconds per step, and its 95 % interval."""
    import numpy as np
    from scipy import stats

    seconds = [figures[name]["step_seconds"] for name in ("mask", "no mask")]
    logarithms = np.log(measuring.list_ratios(*seconds))
    low, high = stats.t.interval(
        0.95,
        len(logarithms) - 1,
        loc=logarithms.mean(),
        scale=stats.sem(logarithms),
    )
    return {
        "seconds_with_mask_to_without": round(float(np.exp(logarithms.mean())), 4),
        "interval_95": [round(float(np.exp(limit)), 4) for limit in (low, high)],
    }


def main():
    measuring.compare_trainings(
        __file__, __doc__, SIDES, run_side, compare_sides, steps=100
    )


if __name__ == "__main__":
    main()
