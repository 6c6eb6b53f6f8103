"""Tables of runs of one seed, each compared with a run of the same seed."""

from dsa.errors import InputError
from tools.docs_tables.run_records import (
    name_processor,
    read_runs,
    write_commit,
    write_table,
)

STUDIES = {  # the runs by name, that of the others first; splits; metric
    "ablations": (
        {
            "DSA: alpha 1.5, both poolings": "snli/dsa_40k",
            "alpha 0": "snli/dsa_no_distance_40k",
            "alpha 0.5": "ablations/alpha_0.5",
            "alpha 1": "ablations/alpha_1.0",
            "alpha 2": "ablations/alpha_2.0",
            "alpha 3": "ablations/alpha_3.0",
            "gate over raw words": "ablations/gate_raw",
            "source2token alone": "ablations/pooling_source2token",
            "max pooling alone": "ablations/pooling_max",
        },
        ("dev",),
        "accuracy",
    ),
    "multinli": (
        {"DSA": "multinli/dsa_partial", "CBOW": "multinli/cbow_partial"},
        ("dev", "dev_mismatched"),
        "accuracy",
    ),
    "single-pairs": (
        {
            "BCNN, batches of 32 pairs": "single_pairs/bcnn/seed-13",
            "BCNN, batches of one pair": "wikiqa/bcnn_single",
        },
        ("test",),
        "map",
    ),
    "esim-forms": (
        {
            "ESIM, DSA's training": "seeds/esim/seed-13",
            "ESIM, its published training": "models/esim",
            "aESIM, its published training": "models/aesim",
            "aESIM, rescaled": "models/aesim_rescaled",
        },
        ("dev",),
        "accuracy",
    ),
    "disan-baselines": (
        {
            "DiSAN": "models/disan",
            "DiSAN without directions": "models/disan_no_directions",
            "Bi-LSTM, source2token": "models/bilstm",
            "multi-head, source2token": "models/multi_head",
            "word vectors, source2token": "models/source2token",
            "word vectors, additive attention": "models/additive_attention",
        },
        ("dev",),
        "accuracy",
    ),
}


def write_one_seed_table(rows, splits, metric, checkout):
    """Runs of one seed, and what each differs from the first one, in points.

    Args:
        rows: `{name: folder below results/}`.
        splits: that all of them were measured on.
        metric: its key in `metrics.json`.
        checkout: the folder that holds `results/`.

    Raises: `InputError` for runs of several seeds or on several kinds of processor.
    """
    runs = {name: _read_run(checkout / "results" / f) for name, f in rows.items()}
    kinds = {(run["seed"], name_processor(run)) for run in runs.values()}
    if len(kinds) > 1:
        raise InputError(
            f"runs of one seed on one kind of processor are needed: {', '.join(rows)}"
        )
    first, lines = next(iter(runs.values())), []
    for name, run in runs.items():
        line = {"model": name}
        for split in splits:
            value = run["evaluations"][split][metric]
            difference = value - first["evaluations"][split][metric]
            shown = "-" if run is first else f"{100 * difference:+.2f}"
            line |= {f"{metric} on {split}": f"{100 * value:.2f}"}
            line |= {f"minus the first row's, {split}": shown}
        parameters = run["environment"]["parameters"]["trainable_without_embeddings"]
        line |= {"parameters": f"{parameters:,}", "commit": write_commit(run)}
        lines.append(line)
    return write_table(lines)


def _read_run(folder):
    runs = read_runs(folder)
    if len(runs) > 1:
        raise InputError(f"one run is needed in {folder}")
    return runs[0]
