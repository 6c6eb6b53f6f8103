"""A changed run folder is not loaded as the run that was trained."""

import json
import shutil

import h5py
import numpy as np
import pytest

import dsa
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import find_missing_splits
from dsa.system.arrays import read_arrays, write_arrays
from tests.support.hostile_checks import no_hang, refused  # noqa: F401


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


# without SHA-256, each loads as another model of the same shapes
CHANGES = {
    "another alpha": _edit("config.yaml", lambda t: t.replace("alpha: ", "alpha: 1")),
    "other heads": _edit("config.yaml", lambda t: t.replace("heads: 3", "heads: 4")),
    "another case": _edit(
        "config.yaml", lambda t: t.replace("lowercase: true", "lowercase: false")
    ),
    "swapped words": _edit("vocabulary.txt", _swap_lines),
    "upper-cased words": _edit("vocabulary.txt", str.upper),
    "weights of zero": _weights(np.zeros_like),
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
    words = f"changed after training: {changed}. To accept the change, delete "
    with pytest.raises(dsa.InputError) as error:
        dsa.load(run_copy)
    assert words in str(error.value)
    arguments = [str(run_copy), "--data-root", str(finished)]
    refused(scripts.evaluate.main(arguments), capsys, words)
    if changed.name != "config.yaml":  # these settings are refused as other ones
        code = _resume(scripts, run_copy, finished)
        refused(code, capsys, words)
    assert _content(run_copy) == before


def _resume(scripts, run, folder):
    return scripts.train.main(
        [
            *(str(folder / "small.yaml"), "--data-root", str(folder)),
            *("--run", str(run), "--resume"),
        ]
    )


def test_line_endings_that_git_converted_change_no_answer(run_copy):
    pairs = [("A man sleeps.", "A cat sits."), ("Two dogs run fast.", "A cat sits.")]
    before = dsa.load(run_copy).predict(pairs)
    for name in ("config.yaml", "vocabulary.txt"):
        content = (run_copy / name).read_bytes()
        (run_copy / name).write_bytes(content.replace(b"\n", b"\r\n"))
    assert dsa.load(run_copy).predict(pairs) == before
    (run_copy / "sha256.json").unlink()
    assert dsa.load(run_copy).predict(pairs) == before


def test_a_change_is_accepted_without_sha256_json_and_left_out_of_tables(
    run_copy, finished, scripts, capsys
):
    CHANGES["weights of zero"](run_copy)
    (run_copy / "sha256.json").unlink()
    capsys.readouterr()
    arguments = [str(run_copy), "--data-root", str(finished), "--split", "test"]
    assert scripts.evaluate.main(arguments) == 0
    assert capsys.readouterr().out.count("unverified, it has no sha256.json") == 1
    assert RunFolder(run_copy).metrics()[-1]["verified"] is False
    assert find_missing_splits(RunFolder(run_copy), ["test"], finished) == ["test"]


def test_resuming_a_finished_run_does_not_verify_a_change(run_copy, finished, scripts):
    CHANGES["weights of zero"](run_copy)
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
def test_numbers_of_another_type_are_refused(changes, run_copy):
    path = run_copy / "environment.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    ((name, _),) = changes.items()
    words = "run format True" if name == "run_format" else f"'{name}' must be"
    with pytest.raises(dsa.InputError, match=words):
        RunFolder(run_copy).environment()


def _record(**changes):
    return lambda arrays, record: record.update(changes)


def _history(change):
    return lambda arrays, record: change(record["history"])


# name -> a change of arrays and record; the file gets a checksum that fits
STATES = {
    "a step that is a text": _record(step="16"),
    "a step that is negative": _record(step=-1),
    "a step that is true": _record(step=True),
    "a step of another row": _record(step=15),
    "a number of evaluations that is no whole one": _record(evaluations=2.0),
    "an end that is a number": _record(stopped=1),
    "a history that is empty": _record(history=[]),
    "a history that is a text": _record(history="none"),
    "a row that is a list": _history(lambda rows: rows.__setitem__(0, [])),
    "a row with a text": _history(lambda rows: rows[0].update(loss="x")),
    "a row without times": _history(lambda rows: [r.pop("seconds") for r in rows]),
    "a row that lacks a column": _history(lambda rows: rows[0].pop("loss")),
    "another metric": _history(lambda rows: [r.pop("val_accuracy") for r in rows]),
    "a row too many": _history(lambda rows: rows.append(rows[-1])),
    "another number of callbacks": _record(callbacks=[{"wait": 1}]),
    "callbacks that are texts": _record(callbacks=["x"]),
    "no callbacks": lambda arrays, record: record.pop("callbacks"),
}


@pytest.mark.parametrize("name", [*STATES, "a flipped bit", "a rewritten array"])
def test_a_bad_state_is_refused_before_anything_is_touched(
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
    refused(_resume(scripts, run_copy, finished), capsys, "state.npz: ")
    assert _content(run_copy) == before


@pytest.mark.parametrize("split", ["train", "dev"])
def test_other_data_are_refused_before_anything_is_touched(
    split, run_copy, finished, scripts, capsys
):
    path = run_copy / "environment.json"
    environment = json.loads(path.read_text())
    environment["sha256"][split] = 64 * "0"
    path.write_text(json.dumps(environment))
    before = _content(run_copy)
    refused(
        _resume(scripts, run_copy, finished),
        capsys,
        f"{run_copy} cannot be resumed: {split} data have changed since it was started",
    )
    assert _content(run_copy) == before  # its log too


def test_a_state_without_checksum_is_refused(run_copy, finished, scripts, capsys):
    path = run_copy / "state" / "state.npz"
    with np.load(path) as file:
        np.savez(path, **{name: file[name] for name in file if name != "checksum"})
    refused(_resume(scripts, run_copy, finished), capsys, "it has no checksum")


def test_a_damaged_run_below_the_folder_is_refused_too(
    run_copy, finished, scripts, capsys
):
    shutil.copytree(finished / "run", run_copy / "with_dev")
    CHANGES["swapped words"](run_copy / "with_dev")
    before = _content(run_copy)
    words = "with_dev: changed after training: vocabulary.txt"
    refused(_resume(scripts, run_copy, finished), capsys, words)
    assert _content(run_copy) == before
