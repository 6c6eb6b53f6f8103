"""What config files and what runs there are, as tables."""

from pathlib import Path
from typing import Any

from dsa.data.corpora.catalogue import DOWNLOADS
from dsa.data.corpora.corpus import format_size
from dsa.errors import InputError
from dsa.experiment.config_files import list_config_files
from dsa.experiment.yaml_file import load_experiment
from dsa.hub.releases import RELEASES, release_file, release_folder
from dsa.runs.run_folder import RunFolder, is_complete
from dsa.system.text_tables import comma_separated, markdown_table
from dsa.tasks.task import count_units

COLUMNS = (
    *("run", "model", "corpus", "view", "seed", "overrides", "steps", "seconds"),
    *("metric", "dev", "dev_units", "date", "test", "test_evaluations", "state"),
)


def list_configs(folder: str | Path) -> str:
    """Returns the YAML files below a folder as a Markdown table: model, corpus, paper.
    Of a folder that is not here, those that come with the package.

    Raises: `InputError` if there is none; a file that is no experiment has the reason
        in its row.
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
    return markdown_table(["config", "model", "corpus", "paper"], rows)


def list_runs(folder: str | Path) -> str:
    """Returns the runs below a folder as a Markdown table: model, corpus, seed, steps,
    the selected checkpoint's dev metric, and state.

    Raises: `InputError` if there is none; a damaged run has the reason in its row.
    """
    header = ["run", "model", "corpus", "seed", "steps", "dev", "state"]
    return markdown_table(header, map(_write_row, read_runs(folder)))


def list_runs_as_csv(folder: str | Path) -> str:
    """Returns what `read_runs` reads as CSV text, with a header."""
    return comma_separated(read_runs(folder))


def read_runs(folder: str | Path) -> list[dict[str, Any]]:
    """Reads the runs below a folder: a dictionary with `COLUMNS` for each, `None` where
    a run has no such value.

    `overrides` is what `--set` was given, `seconds` are of its training, `metric` is
    the one that selects its checkpoint; `dev`, its value there, is a mean over
    `dev_units`, measured on `date`, and `test` its last value on test.
    `test_evaluations` counts all evaluations on test so far.

    Raises: `InputError` if there is none; of a damaged run `state` is the reason.
    """
    runs = []
    paths = sorted(Path(folder).rglob("config.yaml"))
    if not paths:
        raise InputError(f"no run below {folder}")
    for path in paths:
        run = RunFolder(path.parent)
        facts: dict[str, Any] = {"run": str(run.path)}
        try:
            facts |= _read_facts(run)
        except InputError as error:
            facts["state"] = str(error).split("\n")[0]
        runs.append({name: facts.get(name) for name in COLUMNS})
    return runs


def list_releases() -> str:
    """Returns the releases as a Markdown table: name, what they are, the sizes of the
    file in the package and of the run in the cache folder, terms, and how such a run is
    trained."""
    rows = [
        [
            name,
            release.description,
            _measure([release_file(name)]),
            _measure(release_folder(name).rglob("*")),
            release.terms,
            release.training,
        ]
        for name, release in RELEASES.items()
    ]
    header = ["release", "what", "in the package", "in the cache", "terms"]
    return markdown_table([*header, "trained by"], rows)


def _measure(paths):
    """The size of files in words; a dash where there is none."""
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    return format_size(sum(sizes)) if sizes else "-"


def list_downloads() -> str:
    """Returns what `dsa download` brings as a Markdown table: name, size, licence."""
    rows = [[d.name, d.describe_size(), d.licence] for d in DOWNLOADS.values()]
    return markdown_table(["download", "size", "licence"], rows)


def list_everything(runs: str | Path, configs: str | Path) -> str:
    """Returns releases, downloads, the runs below a folder and the configs below
    another one, as a text with headings. A folder without any says so."""
    parts = [
        f"Releases\n\n{list_releases()}",
        f"Downloads\n\n{list_downloads()}",
    ]
    for title, make, folder in (
        ("Runs", list_runs, runs),
        ("Configs", list_configs, configs),
    ):
        try:
            parts.append(f"{title}\n\n{make(folder)}")
        except InputError as error:
            parts.append(f"{title}\n\n{error}")
    return "\n\n".join(parts)


def _read_facts(run):
    """What `COLUMNS` say of a run."""
    experiment, environment, state = run.experiment(), {}, "not evaluated yet"
    if (run.path / "environment.json").is_file():
        environment = run.environment()
        state = "finished" if is_complete(run) else "unfinished: --resume resumes it"
    metric = experiment.task.selects
    last = {entry["split"]: entry for entry in run.own_metrics() if metric in entry}
    dev, test = last.get("dev"), last.get("test", {})
    return {
        "model": experiment.model.name,
        "corpus": experiment.data.corpus,
        "view": experiment.data.view,
        "seed": experiment.seed,
        "overrides": str(environment.get("command")).partition(" --set ")[2] or None,
        "steps": environment.get("steps"),
        "seconds": environment.get("wall_seconds"),
        "metric": metric,
        "dev": dev and dev[metric],
        "dev_units": dev and count_units(experiment.task, dev),
        "date": dev and dev.get("date"),
        "test": test.get(metric),
        "test_evaluations": sum(entry["split"] == "test" for entry in run.metrics()),
        "state": state,
    }


def _write_row(run):
    """The cells of a run in `list_runs`."""
    dev, corpus = "-", run["corpus"]
    if run["dev"] is not None:
        dev = f"{run['metric']} {run['dev']:.4f} (n = {run['dev_units']:,})"
    if run["view"]:
        corpus += f" ({run['view']})"
    shown = [run["model"], corpus, run["seed"], run["steps"]]
    shown = ["-" if value is None else str(value) for value in shown]
    return [run["run"], *shown, dev, run["state"]]
