"""The runs under `results/` as flat records, and how tables write their numbers."""

from dsa.data.corpora.catalogue import get_corpus
from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.comparison import name_commit
from dsa.runs.run_names import flatten
from dsa.runs.studies import list_runs
from dsa.system.text_tables import markdown_table


def read_results(folder):
    """The runs below a folder, in the order of their paths, without those that saw
    their rows in a view: they are no results of a model.

    Returns: a list of records. A record has each setting by its key, such as
        `model.alpha`, as `config.yaml` has it (the schema has changed since older
        runs); `environment`; `evaluations`, `{split: the last one of
        RunFolder.own_metrics}`; and `tests`, how often test was evaluated.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    return [record for record in read_runs(folder) if not record.get("data.view")]


def read_runs(folder):
    """As `read_results`, also those that saw their rows in a view."""
    return [read_run(run) for run in find_results(folder)]


def read_run(run):
    """The record of a `RunFolder`, see `read_results`."""
    config = run.path / "config.yaml"
    return {
        **flatten(parse_yaml(run.read(config.name), config)),
        "environment": run.read_json("environment.json"),
        "evaluations": {entry["split"]: entry for entry in run.own_metrics()},
        "tests": sum(entry["split"] == "test" for entry in run.metrics()),
    }


def find_results(folder):
    """Returns the runs at or below a folder, see `list_runs`.

    Raises: `InputError` without runs: a table would lose its rows.
    """
    runs = list_runs(folder)
    if not runs:
        raise InputError(f"no results below {folder}")
    return runs


def write_table(lines):
    """A Markdown table of dictionaries `{heading: cell}` with the same headings."""
    rows = [[str(cell) for cell in line.values()] for line in lines]
    return markdown_table(list(lines[0]) if lines else [], rows)


def write_accuracy(record, split="dev"):
    """The accuracy on a split, in per cent; a dash where train was not evaluated."""
    if split == "train" and split not in record["evaluations"]:
        return "-"
    entry = record["evaluations"][split]
    return f"{100 * entry['accuracy']:.2f} % +- {100 * entry['standard_error']:.2f}"


def write_share(corpus, pairs):
    """A number of training pairs, with its share of the corpus's."""
    whole = get_corpus(corpus).training_pairs
    text = f"{pairs:,} pairs, {100 * pairs / whole:.0f} %"
    return text if pairs == whole else f"**{text}, partial**"


def write_seed_and_commit(record):
    """The seed of a run, and the commit of the code that trained it."""
    return f"{record['seed']}, {write_commit(record)}"


def write_commit(record):
    """The commit of the code that trained a run."""
    return f"`{name_commit(record['environment'])}`"


def name_processor(record):
    """The kind of processor that a run was trained on: with other vector instructions
    the same seed is another training."""
    extensions = record["environment"].get("vector_extensions", ())
    return "AVX-512" if "avx512f" in extensions else "AVX2"


def join(values):
    """Values in one cell."""
    return ", ".join(map(str, values))


def name_dsa(record):
    """DSA's name, from its settings."""
    return "DSA" if record["model.alpha"] else "DSA without distance mask"
