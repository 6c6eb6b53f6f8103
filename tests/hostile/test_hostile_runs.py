"""Tests of one-line errors for damaged and malicious run folders."""

import json
import zipfile

import h5py
import numpy as np
import pytest

from tests.support import hostile_files as hostile
from tests.support.hostile_checks import assert_error, time_limit  # noqa: F401


def _weights(change):
    def damage(run):
        with h5py.File(run / "best.weights.h5", "r+") as file:
            names = []
            file.visititems(
                lambda name, item: (
                    names.append(name)
                    if isinstance(item, h5py.Dataset) and item.ndim == 2
                    else None
                )
            )
            change(file, names[0])

    return damage


def _replaced(value):
    def change(file, name):
        del file[name]
        file[name] = value

    return _weights(change)


def _external(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("elsewhere.h5", "/secret")


def _soft(file, name):
    file["other"] = file[name][()]
    del file[name]
    file[name] = h5py.SoftLink("/other")


def _virtual(file, name):
    layout = h5py.VirtualLayout(file[name].shape, "f4")
    layout[:] = h5py.VirtualSource("elsewhere.h5", "secret", file[name].shape)
    del file[name]
    file.create_virtual_dataset(name, layout)


def _stored_elsewhere(file, name):
    shape = file[name].shape
    del file[name]
    file.create_dataset(name, shape, "f4", external=[("/etc/passwd", 0, 10**6)])


def _huge(file, name):
    del file[name]
    file.create_dataset(name, (10**9, 10**3), "f4", chunks=(1000, 1000))


def _compressed(file, name):
    shape = file[name].shape
    del file[name]
    file.create_dataset(name, data=np.zeros(shape, "f4"), compression="gzip")


def _in_a_circle(file, name):
    file[name].parent["itself"] = file["/"]


def _json(name, content):
    return lambda run: (run / name).write_text(content)


def _environment(**changes):
    def damage(run):
        path = run / "environment.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return damage


# name -> (function that damages a run, part of the error)
RUN_DAMAGE = {
    "a dataset of another shape": (
        _replaced(np.ones((3, 5))),
        "the weights do not match the model",
    ),
    "a dataset of texts": (_replaced([[b"x"]]), "the weights do not match the model"),
    "a missing dataset": (
        _weights(lambda file, name: file.pop(name)),
        "the weights do not match the model",
    ),
    "a group instead of a dataset": (
        _weights(lambda file, name: (file.pop(name), file.create_group(name))),
        "the weights do not match the model",
    ),
    "a dataset of another file": (
        _weights(_external),
        "the weights do not match the model",
    ),
    "a link": (_weights(_soft), "is a link"),
    "a virtual dataset": (_weights(_virtual), "must be a plain array"),
    "an external dataset": (
        _weights(_stored_elsewhere),
        "must be a plain array",
    ),
    "a dataset of terabytes": (_weights(_huge), "bytes, more than the file"),
    "a compressed dataset": (_weights(_compressed), "must be a plain array"),
    "a group that contains itself": (_weights(_in_a_circle), "is a duplicate"),
    "a NaN weight": (
        _weights(lambda file, name: file[name].write_direct(_like(file[name], np.nan))),
        "a weight is NaN or infinite",
    ),
    "a zip file instead of weights": (
        lambda run: (run / "best.weights.h5").write_bytes(b"PK\x03\x04"),
        "the weights do not match the model",
    ),
    "an environment as a list": (_json("environment.json", "[]"), "run format"),
    "a deeply nested environment": (
        _json("environment.json", "[" * 10**5),
        "not JSON",
    ),
    "fingerprints as a text": (_environment(sha256="x"), "fingerprints"),
    "fingerprints as lists": (_environment(sha256={"a": []}), "fingerprints"),
    "metrics as a list": (
        _json("metrics.json", "[]"),
        "expected a list of 'evaluations'",
    ),
    "a vocabulary in another encoding": (
        lambda run: (run / "vocabulary.txt").write_bytes(b"\xff\n"),
        "vocabulary.txt: not readable",
    ),
}


def _like(dataset, value):
    return np.full(dataset.shape, value, dataset.dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN_DAMAGE)
def test_a_damaged_run_is_an_error_in_one_line(
    name, finished, scripts, run_copy, tmp_path, capsys
):
    damage, message = RUN_DAMAGE[name]
    with h5py.File(tmp_path / "elsewhere.h5", "w") as file:
        file["secret"] = np.ones((2, 2))
    damage(run_copy)
    (run_copy / "sha256.json").unlink()
    arguments = [str(run_copy), "--data-root", str(finished)]
    assert_error(scripts.evaluate.main(arguments), capsys, message)
    assert not list(tmp_path.rglob("marker"))


def _object_state(run):
    hostile.object_array(run / "state" / "state.npz", run.parent / "marker")


def _giant_state(run):
    """Writes an array whose header declares 10^15 numbers."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(run / "state" / "state.npz", "w") as archive:
        archive.writestr("record.npy", array)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_object_state, "damaged training state"),
        (_giant_state, "damaged training state"),
        (lambda run: (run / "state" / "state.npz").write_bytes(b""), "damaged"),
        (lambda run: (run / "metrics.json").write_text("{"), "metrics.json: not JSON"),
        (lambda run: (run / "environment.json").write_text("{"), "not JSON"),
    ],
)
def test_resuming_a_damaged_state_is_an_error(
    damage, message, finished, scripts, run_copy, capsys
):
    damage(run_copy)
    log = (run_copy / "log.txt").read_text()
    code = scripts.train.main(
        [
            *(str(finished / "small.yaml"), "--data-root", str(finished)),
            *("--run", str(run_copy), "--resume"),
        ]
    )
    assert_error(code, capsys, message)
    assert not (run_copy.parent / "marker").exists()
    assert (run_copy / "log.txt").read_text() == log
