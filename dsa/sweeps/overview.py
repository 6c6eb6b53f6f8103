"""What config files and what runs there are, as tables."""

from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.config_files import list_config_files
from dsa.experiment.run_folder import RunFolder, is_complete
from dsa.experiment.yaml_file import load_experiment
from dsa.hub.releases import RELEASES
from dsa.system.text_tables import markdown_table
from dsa.tasks.task import count_units


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
    rows = []
    paths = sorted(Path(folder).rglob("config.yaml"))
    if not paths:
        raise InputError(f"no run below {folder}")
    for path in paths:
        run = RunFolder(path.parent)
        try:
            rows.append([str(run.path), *_facts(run)])
        except InputError as error:
            rows.append([str(run.path), *["-"] * 5, str(error).split("\n")[0]])
    header = ["run", "model", "corpus", "seed", "steps", "dev", "state"]
    return markdown_table(header, rows)


def list_releases() -> str:
    """Returns the releases as a Markdown table: name, what they are, terms."""
    rows = [[name, release.what, release.terms] for name, release in RELEASES.items()]
    return markdown_table(["release", "what", "terms"], rows)


def list_everything(runs: str | Path, configs: str | Path) -> str:
    """Returns releases, the runs below a folder and the configs below another one, as a
    text with headings. A folder without any says so."""
    parts = [f"Releases\n\n{list_releases()}"]
    for title, make, folder in (
        ("Runs", list_runs, runs),
        ("Configs", list_configs, configs),
    ):
        try:
            parts.append(f"{title}\n\n{make(folder)}")
        except InputError as error:
            parts.append(f"{title}\n\n{error}")
    return "\n\n".join(parts)


def _facts(run):
    experiment = run.experiment()
    steps, dev, state = "-", "-", "not evaluated yet"
    if (run.path / "environment.json").is_file():
        steps = str(run.environment().get("steps", "-"))
        state = "finished" if is_complete(run) else "unfinished: --resume resumes it"
    selects = experiment.task.selects
    for entry in run.own_metrics():
        if entry["split"] == "dev" and selects in entry:
            count = count_units(experiment.task, entry)
            dev = f"{selects} {entry[selects]:.4f} (n = {count:,})"
    data = experiment.data
    corpus = f"{data.corpus} ({data.view})" if data.view else data.corpus
    return [experiment.model.name, corpus, str(experiment.seed), steps, dev, state]
