"""What belongs to a table of a paper: its rows, their configs, and the runs of them.

A run belongs to a row if its resolved config is the row's and its data have the same
fingerprint; where it lies does not matter.
"""

import csv
import dataclasses
import json
import logging
from pathlib import Path

from dsa.data.files import find_file, fingerprint
from dsa.errors import InputError
from dsa.experiment_file import load_experiment, run_path
from dsa.paper import DISAN, DSA, paper_rows
from dsa.run_folder import RunFolder
from dsa.tasks import TASKS

log = logging.getLogger(__name__)

SMALL = {  # vectors and lengths of training for everyone; partial files have no parses
    "embedding.path": "glove/glove.6B.50d.nli.txt",
    "embedding.units": 50,
    "embedding.projection": 300,
    "tokenizer.name": "treebank",
    "training.steps": None,
    "training.evaluate_every": None,
    "training.evaluate_from": 0,
}
SMALL_MULTINLI = {  # the partial train, and the 40,000 pairs of SNLI with it
    **SMALL,
    "data.mix.path": "snli_1.0/snli_1.0_train_40k.jsonl",
    "data.mix.share": 1.0,
    "training.epochs": 4,
}
PRESETS = {  # what is overridden, by corpus
    "full": {"snli": {}, "multinli": {}},
    "partial": {
        "snli": {**SMALL, "training.epochs": 5},
        "multinli": SMALL_MULTINLI,
    },
    "subset40k": {
        "snli": {
            **SMALL,
            "data.train": "snli_1.0/snli_1.0_train_40k.jsonl",
            "training.epochs": 4,
        },
        "multinli": SMALL_MULTINLI,
    },
}


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a table: its name, that of the paper where it has one, and the config
    that this project implements it with."""

    name: str
    config: str | None = None
    paper_name: str | None = None


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column of accuracies: the paper's split, and those of ours that stand for it,
    the first one that was evaluated. `compared`: whether the difference is a question
    of sampling, as it is not on training data."""

    name: str
    splits: tuple
    paper_split: str | None = None
    compared: bool = True


@dataclasses.dataclass(frozen=True)
class Table:
    """A table: the corpus of its configs, its rows and its measures; `source`, paper
    and table, where it is one of a paper."""

    title: str
    corpus: str
    rows: tuple
    measures: tuple
    source: tuple | None = None

    @property
    def splits(self):
        """The splits that its runs are evaluated on."""
        return tuple(dict.fromkeys(s for m in self.measures for s in m.splits))


def _paper_table(title, corpus, source, configs, measures):
    models = dict.fromkeys(row["model"] for row in paper_rows(*source))
    rows = tuple(Row(model, configs.get(model), model) for model in models)
    return Table(title, corpus, rows, measures, source)


TABLES = {
    "dsa-1": _paper_table(
        "SNLI (Im & Cho 2017, Table 1)",
        "snli",
        (DSA, "Table 1"),
        {
            "Our self-attention network (without distance mask)": (
                "configs/snli/dsa_no_distance.yaml"
            ),
            "Our Distance-based Self-Attention Network": "configs/snli/dsa.yaml",
        },
        (
            Measure("train", ("train",), "train", compared=False),
            Measure("test", ("test", "dev"), "test"),
        ),
    ),
    "dsa-2": _paper_table(
        "MultiNLI (Im & Cho 2017, Table 2)",
        "multinli",
        (DSA, "Table 2"),
        {
            "Our Distance-based Self-Attention Network [SNLI mix: no]": (
                "configs/multinli/dsa.yaml"
            )
        },
        (
            Measure("matched", ("dev",), "test_matched (Kaggle)"),
            Measure("mismatched", ("dev_mismatched",), "test_mismatched (Kaggle)"),
        ),
    ),
    "disan-1": _paper_table(
        "SNLI (Shen et al. 2018, Table 1)",
        "snli",
        (DISAN, "Table 1"),
        {
            "Word Embedding with additive attention": (
                "configs/snli/additive_attention.yaml"
            ),
            "Word Embedding with s2t self-attention": "configs/snli/source2token.yaml",
            "Multi-head with s2t self-attention": "configs/snli/multi_head.yaml",
            "Bi-LSTM with s2t self-attention": "configs/snli/bilstm.yaml",
            "DiSAN without directions": "configs/snli/disan_no_directions.yaml",
            "Directional self-attention network (DiSAN)": "configs/snli/disan.yaml",
        },
        (
            Measure("train", ("train",), "train", compared=False),
            Measure("test", ("test", "dev"), "test"),
        ),
    ),
    "snli-models": Table(
        "Models on SNLI, each with its published optimizer",
        "snli",
        (
            Row("DSA", "configs/snli/dsa.yaml"),
            Row("DSA without distance mask", "configs/snli/dsa_no_distance.yaml"),
            Row("DiSAN", "configs/snli/disan.yaml"),
            Row("DiSAN without directions", "configs/snli/disan_no_directions.yaml"),
            Row("Bi-LSTM, source2token", "configs/snli/bilstm.yaml"),
            Row("multi-head, source2token", "configs/snli/multi_head.yaml"),
            Row("word vectors, source2token", "configs/snli/source2token.yaml"),
            Row("word vectors, additive", "configs/snli/additive_attention.yaml"),
        ),
        (Measure("dev", ("dev",)),),
    ),
    "dsa-ablations": Table(
        "Ablations of DSA on SNLI",
        "snli",
        (
            Row("alpha 0 (without distance mask)", "configs/snli/dsa_no_distance.yaml"),
            Row("alpha 0.5", "configs/snli/ablations/alpha_0.5.yaml"),
            Row("alpha 1", "configs/snli/ablations/alpha_1.0.yaml"),
            Row("DSA: alpha 1.5, projected gate, both", "configs/snli/dsa.yaml"),
            Row("alpha 2", "configs/snli/ablations/alpha_2.0.yaml"),
            Row("alpha 3", "configs/snli/ablations/alpha_3.0.yaml"),
            Row("gate over raw inputs", "configs/snli/ablations/gate_raw.yaml"),
            Row(
                "source2token pooling alone",
                "configs/snli/ablations/pooling_source2token.yaml",
            ),
            Row("max pooling alone", "configs/snli/ablations/pooling_max.yaml"),
        ),
        (Measure("dev", ("dev",)),),
    ),
}


def table_named(name):
    """Raises: `InputError` for an unknown table."""
    if name not in TABLES:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(TABLES)}")
    return TABLES[name]


def overrides_of(table, preset, seed):
    """The settings that a preset and a seed change in a table's configs."""
    return {**PRESETS[preset][table.corpus], "seed": seed}


class Runs:
    """The runs below a folder, by what they are runs of.

    Args:
        folder: where they are looked for.
        root: the data root.
    """

    def __init__(self, folder, root):
        self.root = root
        self._runs = []
        for config in sorted(Path(folder).rglob("config.yaml")):
            run = RunFolder(config.parent)
            try:
                self._runs.append((run, run.experiment()))
            except InputError as error:  # of another version, or no run
                log.info("left out: %s", error)

    def find(self, experiment):
        """The finished run of an experiment on the data at hand, or `None`."""
        for run, found in self._runs:
            if found != experiment:
                continue
            try:
                if is_finished(run) and self._same_data(run, found):
                    return run
            except InputError as error:  # damaged
                log.warning("left out: %s", error)
        return None

    def _same_data(self, run, experiment):
        """Whether the files at hand are those of the run; one that is not at hand
        cannot differ."""
        sha256 = run.environment()["sha256"]
        data = experiment.data
        files = {"train": data.train, "dev": data.dev}
        if data.mix:
            files["mix"] = data.mix.path
        for split, name in files.items():
            at_hand = _fingerprint(self.root, name)
            if at_hand and at_hand != sha256.get(split):
                log.info("%s: its %s data are not those at hand", run.path, split)
                return False
        return True


def is_finished(run):
    """Whether a run has trained to its end."""
    environment_file = run.path / "environment.json"
    if not environment_file.is_file() or not (run.path / "history.csv").is_file():
        return False
    facts, experiment = run.environment(), run.experiment()
    config = experiment.training
    if facts.get("steps", 0) >= config.last_step(facts.get("steps_per_epoch", 1)):
        return True
    if config.early_stopping is None:
        return False
    metric = f"val_{TASKS[experiment.data.corpus].metric}"
    rows = csv.DictReader(run.read("history.csv").splitlines())
    dev = [float(row[metric]) for row in rows]
    return len(dev) - 1 - dev.index(max(dev)) >= config.early_stopping


def evaluations(run, root):
    """A run's evaluations, the last one of each split; those of another file than the
    one that is at hand are left out.

    Returns: `{split: entry of metrics.json}`.
    """
    data, found = run.experiment().data, {}
    for entry in run.metrics():
        name = data.file(entry["split"])
        at_hand = name and _fingerprint(root, name)
        if not at_hand or at_hand == entry.get("sha256"):
            found[entry["split"]] = entry
    return found


def missing_evaluations(run, table, root):
    """The splits of a table that a run was not evaluated on, of those at hand."""
    done, data = evaluations(run, root), run.experiment().data
    missing = []
    for split in table.splits:
        name = data.file(split)
        if split in done or name is None:
            continue
        if _fingerprint(root, name) is None:
            log.info("%s is not evaluated: %s is not below the data root", split, name)
            continue
        missing.append(split)
    return missing


def _fingerprint(root, name):
    """sha256 of a corpus file, `None` where it is not at hand."""
    try:
        return fingerprint(find_file(root, name))
    except InputError:
        return None


def planned(table, preset, seeds):
    """The runs that a table needs.

    Returns: a list of (row, seed, experiment, path of the run); rows that are not
        implemented have none.
    """
    plans = []
    for row in table.rows:
        if row.config is None:
            continue
        for seed in seeds:
            overrides = overrides_of(table, preset, seed)
            plans.append(
                (
                    row,
                    seed,
                    load_experiment(row.config, overrides),
                    run_path(row.config, overrides, seed),
                )
            )
    return plans


def assignments(overrides):
    """Overrides as the arguments of `--set`."""
    return [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in overrides.items()
    ]
