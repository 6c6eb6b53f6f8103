"""The Markdown tables of models in views of their rows, such as shuffled words: trained
without a view and evaluated in one, and trained in one."""

from pathlib import Path

from dsa.data.prepared.views import name_evaluation
from dsa.errors import InputError
from dsa.papers.comparison import compare_rows
from dsa.papers.mean_and_range import write_mean_and_range
from dsa.papers.model_tables import find_runs, write_share_of_snli
from dsa.papers.results import read_results
from dsa.papers.tables.registry import table_named
from dsa.system.text_tables import markdown_table

MODELS = {  # folders below results/seeds, in the order of the table
    "dsa": "DSA",
    "dsa_no_distance": "DSA without distance mask",
    "transformer": "Transformer, trained as DSA",
    "transformer_3e-4": "Transformer",
    "bilstm_max": "Bi-LSTM, max pooling",
    "decomposable": "decomposable attention",
    "esim": "ESIM",
}
VIEWS = ("shuffled_words", "hypothesis_only", "premise_only")


def write_views_table(checkout):
    """A line for each model that has runs: accuracy on dev as mean and range over
    seeds, and what the shuffled words cost each run.

    Raises: `InputError` where no model has any, `KeyError` for a run that was not
        evaluated in one of the views: the table would lose its row.
    """
    seeds = Path(checkout, "results", "seeds")
    lines = [
        _write_cells(name, read_results(seeds / folder))
        for folder, name in MODELS.items()
        if (seeds / folder).is_dir()
    ]
    if not lines:
        raise InputError(f"no results of {', '.join(MODELS)} below {seeds}")
    return markdown_table(
        [
            "model",
            "seeds",
            "dev",
            "shuffled words",
            "points lost by it",
            "hypothesis only",
            "premise only",
        ],
        lines,
    )


def _write_cells(name, results):
    plain = [_read_percent(result, "dev") for result in results]
    shuffled, *others = (
        [
            _read_percent(result, name_evaluation("dev", view, None))
            for result in results
        ]
        for view in VIEWS
    )
    lost = [whole - part for whole, part in zip(plain, shuffled, strict=True)]
    return [
        name,
        ", ".join(str(result.seed) for result in results),
        *(
            write_mean_and_range(numbers, ".2f")
            for numbers in (plain, shuffled, lost, *others)
        ),
    ]


def _read_percent(result, split):
    return 100 * result.evaluations[split]["accuracy"]


def write_trained_views_table(checkout, preset="subset40k"):
    """A line for each row of the table `snli-views` that has runs: accuracy on dev, in
    the view that the model was trained in, as mean and range over seeds.

    Raises: `InputError` where there are no runs.
    """
    table = table_named("snli-views")
    runs = find_runs(table, preset, checkout)
    if not runs:
        raise InputError(f"no runs of the table snli-views below {checkout}/results")
    return markdown_table(
        ["model, view", "seeds", "dev, in the same view", "trained on"],
        [
            [
                row.name,
                ", ".join(map(str, row.training.seeds)),
                write_mean_and_range(row.values["dev"].seeds, ".2f"),
                write_share_of_snli(row.training.pairs),
            ]
            for row in compare_rows(table, runs, Path(checkout, "results"), preset)
            if row.name in runs
        ],
    )
