"""Pack the runs below a folder into a study below `results/`.

    python -m tools.add_study runs/paper_sizes --study results/paper_sizes

The name of a run in the study is its path below the folder; stages of a run, such as
its subfolder `first`, are not packed. All runs must be finished;
their stored answers (`dsa evaluate RUN --keep-answers`) are packed too. Runs of the
same name in the study are replaced, all other runs of the study are kept. The run
folders are not changed.

Writes runs.jsonl and, if there are answers, answers.parquet and rows.parquet. Before
the first call, write the file study.yaml with the keys question, command, criteria,
data, device and partial.
"""

import argparse
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.evaluation.study_answers import (
    digest_answers,
    find_answers,
    write_study_answers,
)
from dsa.experiment.strict_yaml import parse_yaml
from dsa.runs.run_folder import is_finished
from dsa.runs.run_records import read_history
from dsa.runs.studies import RUNS, exclude_stages, list_runs, read_study
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from tools.answered_models import DIGEST, list_answered

DESCRIPTION = "study.yaml"
KEYS = ("question", "command", "criteria", "data", "device", "partial")


def check_description(study):
    """Raises `InputError` unless a study has a `study.yaml` with all keys."""
    path = study / DESCRIPTION
    if not path.is_file():
        raise InputError(f"{path} is missing. Write it with the keys {', '.join(KEYS)}")
    content = parse_yaml(read_text(path), path)
    if not isinstance(content, dict) or sorted(content) != sorted(KEYS):
        raise InputError(f"{path} must have the keys {', '.join(KEYS)}, and no others")


def describe_run(run, name):
    """Returns the record of a finished run.

    Args:
        run: the run.
        name: path of the run inside the study.
    """
    record = {
        "run": name,
        "config": parse_yaml(run.read("config.yaml"), run.path / "config.yaml"),
        "environment": run.environment(),
        "history": read_history(run),
        "metrics": run.metrics(),
    }
    if run.has("splits.json"):
        record["splits"] = run.read_json("splits.json")
    return record


def write_runs(study, records):
    """Writes `runs.jsonl` of a study, sorted by name."""
    records = sorted(records, key=lambda record: Path(record["run"]))
    lines = [
        json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        for record in records
    ]
    write_atomically(study / RUNS, "".join(lines))


def pack_runs(study, runs):
    """Writes the files of a study.

    Args:
        study: folder of the study.
        runs: `{name: RunFolder}`.

    Raises: `InputError` for unfinished and damaged runs.
    """
    records, answers = [], {}
    for name, run in runs.items():
        if not is_finished(run):
            raise InputError(f"{run.path}: its training has not finished")
        record = describe_run(run, name)
        task = run.experiment().task
        digests = {}
        for split in list_answered(run):
            split_answers = find_answers(run, split)
            if split_answers is None:
                raise InputError(f"{run.path}: the answers for {split} are missing")
            answers[name, split] = split_answers, task
            digests[split] = digest_answers(split_answers, task)
        record["metrics"] = _replace_digests(record["metrics"], digests)
        records.append(record)
    if answers:
        write_study_answers(study, answers)
    write_runs(study, records)


def _replace_digests(entries, digests):
    """Returns the evaluations with the digests of the packed answers.

    A run folder contains only the answers of the last evaluation of a split, so other
    evaluations have no digest.
    """
    last = {entry["split"]: n for n, entry in enumerate(entries) if DIGEST in entry}
    replaced = []
    for number, entry in enumerate(entries):
        entry = {key: value for key, value in entry.items() if key != DIGEST}
        if last.get(entry["split"]) == number:
            entry[DIGEST] = digests[entry["split"]]
        replaced.append(entry)
    return replaced


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the run folders")
    parser.add_argument("--study", type=Path, required=True, help="folder of the study")
    options = parser.parse_args(arguments)
    check_description(options.study)
    new_runs = exclude_stages(list_runs(options.folder))
    if not new_runs:
        raise InputError(f"{options.folder}: no runs")
    runs = {}
    if (options.study / RUNS).is_file():
        runs = {run.record["run"]: run for run in read_study(options.study)}
    for run in new_runs:
        runs[run.path.relative_to(options.folder).as_posix()] = run
    pack_runs(options.study, runs)


if __name__ == "__main__":
    raise SystemExit(main())
