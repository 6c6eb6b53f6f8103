"""Tables of configs, runs, releases and downloads."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dsa.data.corpora.catalogue import DOWNLOADS
from dsa.data.corpora.corpus import format_size
from dsa.errors import InputError
from dsa.experiment.config_files import list_config_files
from dsa.experiment.yaml_file import load_experiment
from dsa.hub.releases import (
    find_release,
    get_release_folder,
    get_release_path,
    list_release_names,
)
from dsa.runs import studies
from dsa.runs.run_folder import RunFolder, is_complete
from dsa.system.text_tables import format_csv, format_markdown_table
from dsa.tasks.task import count_units

COLUMNS = (
    "run",
    "model",
    "corpus",
    "view",
    "seed",
    "overrides",
    "steps",
    "seconds",
    "metric",
    "dev",
    "dev_units",
    "date",
    "test",
    "test_evaluations",
    "state",
)


def list_configs(folder: str | Path) -> str:
    """Returns a Markdown table of the configs below a folder.

    The columns are config, model, corpus and paper. The row of an invalid config
    contains the error. If the folder does not exist, the configs of the package are
    listed.

    Raises: `InputError` if the folder contains no config.
    """
    rows = []
    files = list_config_files(folder)
    if not files:
        raise InputError(f"no config file below {folder}")
    for config, path in files.items():
        try:
            experiment = load_experiment(path)
        except InputError as error:
            rows.append([config, "-", "-", str(error).split("\n")[0]])
            continue
        name, corpus = experiment.model.name, experiment.data.corpus
        rows.append([config, name, corpus, experiment.family.paper])
    return format_markdown_table(["config", "model", "corpus", "paper"], rows)


def list_runs(folder: str | Path) -> str:
    """Returns a Markdown table of the runs below a folder.

    The columns are run, model, corpus, seed, training steps, dev metric of the selected
    checkpoint, and state. The row of a damaged run contains the error.

    Raises: `InputError` if the folder contains no run.
    """
    header = ["run", "model", "corpus", "seed", "steps", "dev", "state"]
    return format_markdown_table(header, map(_format_row, read_runs(folder)))


def list_runs_as_csv(folder: str | Path) -> str:
    """Returns the records of `read_runs` as CSV text with a header row."""
    return format_csv(read_runs(folder))


def read_runs(folder: str | Path) -> list[dict[str, Any]]:
    """Returns a record of each run below a folder, including the runs of studies.

    Returns: dictionaries with the keys `COLUMNS`. `overrides` contains the arguments of
        `--set`, `seconds` is the training time, and `metric` is the name of the
        selection metric. `dev` is the latest value of this metric on dev, averaged over
        `dev_units` rows or queries and measured on `date`. `test` is the latest value
        on test, and `test_evaluations` is the number of evaluations on test. Missing
        values are `None`. For a damaged run, `state` is the error.

    Raises: `InputError` if the folder contains no run.
    """
    runs = studies.list_runs(Path(folder))
    if not runs:
        raise InputError(f"no run below {folder}")
    records = []
    for run in runs:
        record: dict[str, Any] = dict.fromkeys(COLUMNS)
        record["run"] = str(run.path)
        try:
            record |= _read_record(run)
        except InputError as error:
            record["state"] = str(error).split("\n")[0]
        records.append(record)
    return records


def list_releases() -> str:
    """Returns a Markdown table of the releases.

    The columns are name, description, size of the zip file, size in the cache folder,
    terms of use, and training command. The row of a damaged file contains the error.

    Raises: `InputError` if `DSA_RELEASES` is set but is not a folder.
    """
    rows = []
    for name in list_release_names():
        size = _format_total_size([get_release_path(name)])
        try:
            release = find_release(name)
        except InputError as error:
            rows.append([name, str(error), size, "-", "-", "-"])
            continue
        cached = _format_total_size(get_release_folder(name, release).rglob("*"))
        rows.append(
            [name, release.description, size, cached, release.terms, release.training]
        )
    header = ["release", "description", "file", "in the cache", "terms", "trained by"]
    return format_markdown_table(header, rows)


def _format_total_size(paths: Iterable[Path]) -> str:
    """Returns the total size of the files among some paths, or "-" without a file."""
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    return format_size(sum(sizes)) if sizes else "-"


def list_downloads() -> str:
    """Returns a Markdown table of the downloads: name, size and licence."""
    rows = [
        [download.name, download.describe_size(), download.licence]
        for download in DOWNLOADS.values()
    ]
    return format_markdown_table(["download", "size", "licence"], rows)


def list_everything(runs: str | Path, configs: str | Path) -> str:
    """Returns the tables of releases, downloads, runs and configs with headings.

    Args:
        runs: the folder of the runs.
        configs: the folder of the configs.
    """
    try:
        runs_table = list_runs(runs)
    except InputError as error:  # no run
        runs_table = str(error)
    try:
        configs_table = list_configs(configs)
    except InputError as error:  # no config
        configs_table = str(error)
    return (
        f"Releases\n\n{list_releases()}\n\n"
        f"Downloads\n\n{list_downloads()}\n\n"
        f"Runs\n\n{runs_table}\n\n"
        f"Configs\n\n{configs_table}"
    )


def _read_record(run: RunFolder) -> dict[str, Any]:
    """Returns the values of `COLUMNS` for a run, except the column "run"."""
    experiment = run.experiment()
    environment: dict[str, Any] = {}
    state = "not evaluated yet"
    if run.has("environment.json"):
        environment = run.environment()
        state = (
            "finished" if is_complete(run) else "unfinished (continue with --resume)"
        )
    command = str(environment.get("command", ""))
    _, _, overrides = command.partition(" --set ")
    metric = experiment.dev_metric
    latest = {
        entry["split"]: entry for entry in run.current_evaluations() if metric in entry
    }
    dev, test = latest.get("dev"), latest.get("test", {})
    for entry in latest.values():
        if type(entry[metric]) not in (int, float):
            raise InputError(
                f"{run.path}: a damaged evaluation of {entry['split']!r}: {metric!r} "
                f"must be a number. Received: {entry[metric]!r:.50}"
            )
    return {
        "model": experiment.model.name,
        "corpus": experiment.data.corpus,
        "view": experiment.data.view,
        "seed": experiment.seed,
        "overrides": overrides or None,
        "steps": environment.get("steps"),
        "seconds": environment.get("wall_seconds"),
        "metric": metric,
        "dev": dev[metric] if dev else None,
        "dev_units": count_units(experiment.task, dev) if dev else None,
        "date": dev.get("date") if dev else None,
        "test": test.get(metric),
        "test_evaluations": sum(entry["split"] == "test" for entry in run.metrics()),
        "state": state,
    }


def _format_row(record: dict[str, Any]) -> list[str]:
    """Returns the cells of a record of `read_runs` in the table of `list_runs`."""
    corpus = record["corpus"]
    if record["view"]:
        corpus += f" ({record['view']})"
    dev = "-"
    if record["dev"] is not None:
        dev = f"{record['metric']} {record['dev']:.4f} (n = {record['dev_units']:,})"
    values = [record["model"], corpus, record["seed"], record["steps"]]
    cells = ["-" if value is None else str(value) for value in values]
    return [record["run"], *cells, dev, record["state"]]
