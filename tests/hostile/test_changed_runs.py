"""Tests of errors for run folders that were changed after training."""

import json

import h5py
import numpy as np
import pytest

import dsa
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import find_missing_splits
from dsa.system.arrays import read_arrays, write_arrays
from tests.support.hostile_checks import assert_error, time_limit  # noqa: F401


def _edit(name, change):
    def damage(run):
        path = run / name
        before = path.read_bytes().decode()
        path.write_bytes(change(before).encode())
        assert path.read_bytes().decode() != before

    return damage


def _weights(change):
    def damage(run):
        with h5py.File(run / "best.weights.h5", "r+") as file:
            file.visititems(
                lambda name, item: (
                    item.write_direct(np.ascontiguousarray(change(item[...])))
                    if isinstance(item, h5py.Dataset) and item.ndim == 2
                    else None
                )
            )

    return damage


def _flip_a_bit(run):
    content = bytearray((run / "best.weights.h5").read_bytes())
    content[-100] ^= 1
    (run / "best.weights.h5").write_bytes(content)


def _swap_lines(text):
    first, second, *rest = text.split("\n")
    return "\n".join([second, first, *rest])


# without SHA-256 digests, each would load as another model of the same shapes
CHANGES = {
    "another alpha": _edit("config.yaml", lambda t: t.replace("alpha: ", "alpha: 1")),
    "other heads": _edit("config.yaml", lambda t: t.replace("heads: 3", "heads: 4")),
    "no lowercasing": _edit(
        "config.yaml", lambda t: t.replace("lowercase: true", "lowercase: false")
    ),
    "swapped words": _edit("vocabulary.txt", _swap_lines),
    "uppercase words": _edit("vocabulary.txt", str.upper),
    "zero weights": _weights(np.zeros_like),
    "permuted weights": _weights(lambda a: a[::-1]),
    "a flipped bit": _flip_a_bit,
}


def _content(run):
    return {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_run_is_an_error_that_names_the_file(
    name, run_copy, finished, scripts, capsys
):
    CHANGES[name](run_copy)
    trained = finished / "run"
    (changed,) = (
        path.relative_to(trained)
        for path, content in _content(trained).items()
        if (run_copy / path.relative_to(trained)).read_bytes() != content
    )
    before = _content(run_copy)
    message = f"changed after training: {changed}. To accept the change, delete "
    with pytest.raises(dsa.InputError) as error:
        dsa.load(run_copy)
    assert message in str(error.value)
    arguments = [str(run_copy), "--data-root", str(finished)]
    assert_error(scripts.evaluate.main(arguments), capsys, message)
    if changed.name != "config.yaml":  # resuming reports changed settings instead
        code = _resume(scripts, run_copy, finished)
        assert_error(code, capsys, message)
    assert _content(run_copy) == before


def _resume(scripts, run, folder, *options):
    return scripts.train.main(
        [
            *(str(folder / "small.yaml"), "--data-root", str(folder)),
            *("--run", str(run), "--resume", *options),
        ]
    )


def test_converted_line_endings_do_not_change_predictions(run_copy):
    pairs = [("A man sleeps.", "A cat sits."), ("Two dogs run fast.", "A cat sits.")]
    before = dsa.load(run_copy).predict(pairs)
    for name in ("config.yaml", "vocabulary.txt"):
        content = (run_copy / name).read_bytes()
        (run_copy / name).write_bytes(content.replace(b"\n", b"\r\n"))
    assert dsa.load(run_copy).predict(pairs) == before
    (run_copy / "sha256.json").unlink()
    assert dsa.load(run_copy).predict(pairs) == before


def test_a_change_without_sha256_json_is_unverified_and_skipped_by_tables(
    run_copy, finished, scripts, capsys
):
    CHANGES["zero weights"](run_copy)
    (run_copy / "sha256.json").unlink()
    capsys.readouterr()
    arguments = [str(run_copy), "--data-root", str(finished), "--split", "test"]
    assert scripts.evaluate.main(arguments) == 0
    assert (
        capsys.readouterr().out.count("unverified, because sha256.json is missing") == 1
    )
    assert RunFolder(run_copy).metrics()[-1]["verified"] is False
    assert find_missing_splits(RunFolder(run_copy), ["test"], finished) == ["test"]


def test_resuming_a_finished_run_does_not_verify_a_change(run_copy, finished, scripts):
    CHANGES["zero weights"](run_copy)
    (run_copy / "sha256.json").unlink()
    assert _resume(scripts, run_copy, finished) == 0
    assert not (run_copy / "sha256.json").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"run_format": True},
        {"frozen_rows": True},
        {"vocabulary_size": 33.0},
        {"steps": "16"},
        {"stopped": 1},
        {"pairs": []},
    ],
)
def test_environment_values_of_another_type_are_errors(changes, run_copy):
    path = run_copy / "environment.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    ((name, _),) = changes.items()
    message = "run format True" if name == "run_format" else f"'{name}' must be"
    with pytest.raises(dsa.InputError, match=message):
        RunFolder(run_copy).environment()


def _record(**changes):
    return lambda arrays, record: record.update(changes)


def _unfinished(**changes):
    """Returns a change of a record to its first evaluation."""

    def change(arrays, record):
        del record["history"][1:]
        step = record["history"][0]["step"]
        record.update(step=step, evaluations=1, stopped=False, **changes)

    return change


def _history(change):
    return lambda arrays, record: change(record["history"])


# name -> change of arrays and record; the checksum of the file is valid
STATES = {
    "a step as a text": _record(step="16"),
    "a negative step": _record(step=-1),
    "a step as a boolean": _record(step=True),
    "a step of another row": _record(step=15),
    "a fractional number of evaluations": _record(evaluations=2.0),
    "an end as a number": _record(stopped=1),
    "an empty history": _record(history=[]),
    "a history as a text": _record(history="none"),
    "a row as a list": _history(lambda rows: rows.__setitem__(0, [])),
    "a row with a text": _history(lambda rows: rows[0].update(loss="x")),
    "a row without times": _history(lambda rows: [r.pop("seconds") for r in rows]),
    "a row without a column": _history(lambda rows: rows[0].pop("loss")),
    "another metric": _history(lambda rows: [r.pop("val_accuracy") for r in rows]),
    "an additional row": _history(lambda rows: rows.append(rows[-1])),
    "another number of callbacks": _unfinished(callbacks=[{"wait": 1}]),
    "callbacks as texts": _record(callbacks=["x"]),
    "no callbacks": lambda arrays, record: record.pop("callbacks"),
}


@pytest.mark.parametrize("name", [*STATES, "a flipped bit", "a rewritten array"])
def test_an_invalid_state_is_an_error_before_a_file_changes(
    name, run_copy, finished, scripts, capsys
):
    path = run_copy / "state" / "state.npz"
    arrays, record = read_arrays(path, "state")
    if name == "a flipped bit":
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif name == "a rewritten array":
        with np.load(path) as file:
            np.savez(path, **{**file, "model/0": file["model/0"] + 1})
    else:
        STATES[name](arrays, record)
        write_arrays(path, arrays, record)
    before = _content(run_copy)
    assert_error(_resume(scripts, run_copy, finished), capsys, "state.npz: ")
    assert _content(run_copy) == before


@pytest.mark.parametrize("split", ["train", "dev"])
def test_changed_data_are_an_error_before_a_file_changes(
    split, run_copy, finished, scripts, capsys
):
    path = run_copy / "environment.json"
    environment = json.loads(path.read_text())
    environment["sha256"][split] = 64 * "0"
    path.write_text(json.dumps(environment))
    before = _content(run_copy)
    assert_error(
        _resume(scripts, run_copy, finished),
        capsys,
        f"{run_copy} cannot be resumed, because the files of these splits have changed "
        f"since the run was started: {split}",
    )
    assert _content(run_copy) == before  # including the log


def test_a_state_without_checksum_is_an_error(run_copy, finished, scripts, capsys):
    path = run_copy / "state" / "state.npz"
    with np.load(path) as file:
        np.savez(path, **{name: file[name] for name in file if name != "checksum"})
    assert_error(
        _resume(scripts, run_copy, finished), capsys, "the checksum is missing"
    )


def test_a_changed_run_in_a_subfolder_is_an_error(run_copy, finished, scripts, capsys):
    _edit("config.yaml", lambda t: t.replace("with_dev: false", "with_dev: true"))(
        run_copy
    )
    RunFolder(run_copy).write_record()
    refit = ["--set", "training.refit_with_dev=true"]
    assert _resume(scripts, run_copy, finished, *refit) == 0
    CHANGES["swapped words"](run_copy / "with_dev")
    before = _content(run_copy)
    code = _resume(scripts, run_copy, finished, *refit)
    assert_error(code, capsys, "with_dev: changed after training: vocabulary.txt")
    assert _content(run_copy) == before
