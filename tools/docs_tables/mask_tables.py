"""Tables of the experiments on the distance mask (`results/distance_mask/`)."""

import numpy as np

from dsa.errors import InputError
from tools.answered_models import AND, TOGETHER
from tools.comparisons import ALL, LONG, NAME
from tools.docs_tables.comparison_tables import ESIM, read_lines, write_difference
from tools.docs_tables.run_records import join, read_runs, write_table
from tools.word_frequencies import TABLE

EXPERIMENTS = "results/distance_mask"
BASE = "dsa_no_distance"
MODELS = {  # in the order of tables and figures
    "dsa_no_distance": "DSA without mask, alpha 0",
    "alpha_0.5": "DSA, alpha 0.5",
    "dsa": "DSA, alpha 1.5",
    "alpha_3": "DSA, alpha 3",
    "transformer": "Transformer, sinusoidal positions",
    "transformer_relative": "Transformer, relative positions",
    "bilstm_max": "Bi-LSTM, max pooling",
    "sorted_words": "DSA, alpha 1.5, on sorted words",
}
BOTH_SETS = AND.join(TOGETHER)
MULTINLI = {  # the dev sets
    BOTH_SETS: "both",
    "dev": "matched",
    "dev_mismatched": "mismatched",
}
LENGTHS = {"test": "1-24 words", "long": "25-60 words", "longer": "61-120 words"}
SURROUNDED = {count: f"dev (surrounded_{count})" for count in (1, 2, 4)}
# tables of runs that are evaluated among other premises: names, folders and splits
SURROUNDED_MODELS = {
    "surrounded-models": {
        ESIM: ("esim_alike/esim", "dev"),
        MODELS["bilstm_max"]: ("word_order/bilstm_max", "dev"),
        MODELS["transformer"]: ("distance_mask/seeds/transformer", "dev"),
        "DSA, max pooling only": ("distance_mask/seeds/pooling_max", "dev"),
        "DSA, source2token pooling only": (
            "distance_mask/seeds/pooling_source2token",
            "dev",
        ),
    },
    "surrounded-multinli": {
        f"{name}, {MULTINLI[split]}": (f"distance_mask/multinli/{model}", split)
        for split in TOGETHER
        for model, name in (("dsa", "with mask"), (BASE, "without"))
    },
}
PARTS = {
    "no_directions": "no directional mask (`model.directions: false`)",
    "no_feed_forward": "no feed-forward block (`model.feed_forward: false`)",
    "gate_normalized": "normalised gate over raw words (`model.gate: normalized`)",
    "pooling_max": "max pooling only (`model.pooling: max`)",
    "pooling_source2token": "source2token pooling only (`model.pooling: source2token`)",
}
PREMISES_ONCE = {"premises_once": "`training.premises_once`"}
TRANSFORMER = {"transformer": "Transformer, learning rate 0.0003"}
MORE_PAIRS = {  # folders of runs on 22 % of SNLI
    "esim": "ESIM",
    "premises_once": "DSA, alpha 1.5, each premise encoded once",
    "dsa": MODELS["dsa"],
    BASE: MODELS[BASE],
    "bilstm_max": MODELS["bilstm_max"],
}
QUANTITIES = {  # and the sign that its figure in the paper has
    "gate": ("gate, Figure 9", "+"),
    "deactivated": ("deactivated units, Figure 10 a", "-"),
    "output": ("largest output, Figure 10 b", "-"),
    "source2token": ("source2token weight, Figure 11 a", "-"),
    "max_pooling": ("share of max pooling, Figure 11 b", "-"),
}


def find_differences(checkout, experiment, base=BASE):
    """`{(model, split, split that is taken from it, rows): line}` of an experiment: of
    each model minus another one, its accuracies."""
    return {
        (line["other"], line["split"], line["minus"], line["rows"]): line
        for line in read_lines(checkout / EXPERIMENTS / experiment / NAME)
        if line["first"] == base and line["metric"] == "accuracy"
    }


def write_changes_table(
    changes, checkout, surrounded=False, heading="DSA with one change"
):
    """DSA with one thing changed, on SNLI dev: accuracy, and the difference to DSA.

    Args:
        changes: names for the table, by the name of the model's folder.
        checkout: the folder that holds `results/`.
        surrounded: whether a column has the difference among premises of other pairs.
        heading: of the names.

    Raises: `InputError` for a change without runs.
    """
    found = find_differences(checkout, "seeds", "dsa")
    rows = []
    for model, name in changes.items():
        line = found.get((model, "dev", "", ALL))
        if line is None:
            raise InputError(f"no comparison of dsa and {model}")
        row = {
            heading: name,
            "accuracy on dev": f"{100 * float(line['other_mean']):.2f}",
            "DSA, same seeds": f"{100 * float(line['first_mean']):.2f}",
            "difference, points": write_difference(line),
        }
        if surrounded:
            among = found[model, "dev (surrounded_4)", "", ALL]
            row["difference among eight other premises"] = write_difference(among)
        rows.append({**row, "seeds": line["seeds"]})
    return write_table(rows)


def write_lengths_table(epochs, checkout):
    """Accuracy on short, long and longer premises of the bundled grammar."""
    found = find_differences(checkout, f"lengths_{epochs}")
    rows = []
    for model, name in MODELS.items():
        lines = [found.get((model, split, "", ALL)) for split in LENGTHS]
        if model == BASE:
            lines = [found["dsa", split, "", ALL] for split in LENGTHS]
        if None in lines:
            continue
        of = "first_mean" if model == BASE else "other_mean"
        row = {"model": name}
        for line, words in zip(lines, LENGTHS.values(), strict=True):
            row[words] = f"{100 * float(line[of]):.2f}"
        for line, words in zip(lines, LENGTHS.values(), strict=True):
            difference = "-" if model == BASE else write_difference(line)
            row[f"minus alpha 0, {words}"] = difference
        rows.append({**row, "seeds": lines[0]["seeds"]})
    return write_table(rows)


def write_surrounded_table(checkout):
    """Accuracy on SNLI dev as it is, and among premises of other pairs."""
    found = find_differences(checkout, "seeds")
    rows = []
    for count, split in {0: "dev", **SURROUNDED}.items():
        line = found["dsa", split, "", ALL]
        lost = found.get(("dsa", "dev", split, ALL))
        rows.append(
            {
                "other premises on each side": count,
                "with mask": f"{100 * float(line['other_mean']):.2f}",
                "without": f"{100 * float(line['first_mean']):.2f}",
                "with minus without": write_difference(line),
                "lost more with mask": write_difference(lost) if lost else "-",
                "seeds": line["seeds"],
            }
        )
    return write_table(rows)


def write_surrounded_models_table(models, checkout):
    """Mean accuracy of models on a split as it is, and among premises of other pairs.

    Args:
        models: as those of `SURROUNDED_MODELS`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for a model of which no run has all these evaluations.
    """
    rows = []
    for name, (folder, split) in models.items():
        splits = {0: split, **{k: f"{split} (surrounded_{k})" for k in SURROUNDED}}
        runs = [
            run
            for run in read_runs(checkout / "results" / folder)
            if set(splits.values()) <= set(run["evaluations"])
        ]
        if not runs:
            raise InputError(f"results/{folder}: no run among premises of other pairs")
        means = {
            count: 100 * np.mean([run["evaluations"][of]["accuracy"] for run in runs])
            for count, of in splits.items()
        }
        columns = {
            f"{count} on each side" if count else "dev as it is": f"{mean:.2f}"
            for count, mean in means.items()
        }
        lost = f"{means[0] - means[max(SURROUNDED)]:.2f}"
        seeds = join(run["seed"] for run in runs)
        rows.append(
            {
                "model": name,
                **columns,
                f"points lost with {max(SURROUNDED)}": lost,
                "seeds": seeds,
            }
        )
    return write_table(rows)


def write_long_pairs_table(checkout):
    """The difference on SNLI dev, and on its pairs with more than 25 tokens."""
    found = find_differences(checkout, "seeds")
    return write_table(
        [
            {
                "rows of SNLI dev": name,
                "with minus without mask": write_difference(
                    found["dsa", "dev", "", rows]
                ),
                "seeds": found["dsa", "dev", "", rows]["seeds"],
            }
            for name, rows in (("all", ALL), (LONG, LONG))
        ]
    )


def write_multinli_table(checkout):
    """The difference on MultiNLI's dev sets, and on their pairs with more than 25
    tokens."""
    found = find_differences(checkout, "multinli")
    rows = []
    for split, name in MULTINLI.items():
        every, long = (found["dsa", split, "", rows] for rows in (ALL, LONG))
        rows.append(
            {
                "dev set": name,
                "with mask": f"{100 * float(every['other_mean']):.2f}",
                "without": f"{100 * float(every['first_mean']):.2f}",
                "with minus without": write_difference(every),
                LONG: write_difference(long),
                "seeds": every["seeds"],
            }
        )
    return write_table(rows)


def write_more_pairs_table(checkout):
    """Accuracy on SNLI dev of each run on 22 % of SNLI, a column for each seed."""
    found = {
        model: {
            run["seed"]: run["evaluations"]["dev"]["accuracy"]
            for run in read_runs(checkout / EXPERIMENTS / "snli_118k" / model)
        }
        for model in MORE_PAIRS
    }
    seeds = sorted(set().union(*found.values()))
    return write_table(
        [
            {
                "model": MORE_PAIRS[model],
                **{
                    f"seed {seed}": f"{100 * of_model[seed]:.2f}"
                    if seed in of_model
                    else "-"
                    for seed in seeds
                },
            }
            for model, of_model in found.items()
        ]
    )


def write_words_table(checkout):
    """How what DSA does with a word is correlated with the word's frequency."""
    lines = read_lines(checkout / EXPERIMENTS / "seeds" / TABLE)
    found = {(line["quantity"], line["of"]): line for line in lines}
    rows = []
    for quantity, (name, sign) in QUANTITIES.items():
        row = {"what": name, "the figure's sign": sign}
        for of, heading in (
            ("dsa", "with mask"),
            (BASE, "without"),
            (f"dsa minus {BASE}", "with minus without"),
        ):
            line = found[quantity, of]
            row[heading] = _write_correlation(line)
        rows.append({**row, "seeds": line["seeds"], "premises": line["premises"]})
    return write_table(rows)


def _write_correlation(line):
    """A mean with its t interval over seeds; of one seed with that over premises."""
    name = "bootstrap" if line["t_low"] == "nan" else "t"
    low, high = (f"{float(line[f'{name}_{end}']):+.3f}" for end in ("low", "high"))
    return f"{float(line['mean']):+.3f} ({low} to {high})"
