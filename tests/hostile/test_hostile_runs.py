"""A damaged run folder loads or gives a one-line error, and runs no code."""

import json
import zipfile

import h5py
import numpy as np
import pytest

from tests.support import hostile_files as hostile
from tests.support.hostile_checks import no_hang, refused  # noqa: F401
from tests.support.hostile_vectors import make_zip


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


# name -> (what is done to a run, words of the error)
RUN_DAMAGE = {
    "a dataset of another shape": (_replaced(np.ones((3, 5))), "not the weights"),
    "a dataset of texts": (_replaced([[b"x"]]), "not the weights"),
    "a dataset that is missing": (
        _weights(lambda file, name: file.pop(name)),
        "not the weights",
    ),
    "a group for a dataset": (
        _weights(lambda file, name: (file.pop(name), file.create_group(name))),
        "not the weights",
    ),
    "a dataset of another file": (_weights(_external), "not the weights"),
    "a dataset that is a link": (_weights(_soft), "is a link"),
    "a virtual dataset": (_weights(_virtual), "is no plain array"),
    "a dataset whose bytes are elsewhere": (
        _weights(_stored_elsewhere),
        "is no plain array",
    ),
    "a dataset of terabytes": (_weights(_huge), "bytes, more than the file"),
    "a dataset that is compressed": (_weights(_compressed), "is no plain array"),
    "a group that holds itself": (_weights(_in_a_circle), "is there twice"),
    "a weight that is NaN": (
        _weights(lambda file, name: file[name].write_direct(_like(file[name], np.nan))),
        "a weight is not finite",
    ),
    "weights that are a zip": (
        lambda run: (run / "best.weights.h5").write_bytes(make_zip(a=b"x")),
        "not the weights",
    ),
    "a config with a Python object": (
        _json("config.yaml", "!!python/object/apply:os.system ['touch marker']"),
        "could not determine a constructor",
    ),
    "an environment that is a list": (_json("environment.json", "[]"), "run format"),
    "an environment nested deeply": (
        _json("environment.json", "[" * 10**5),
        "not JSON",
    ),
    "fingerprints that are a text": (_environment(sha256="x"), "fingerprints"),
    "fingerprints that are lists": (_environment(sha256={"a": []}), "fingerprints"),
    "metrics that are a list": (
        _json("metrics.json", "[]"),
        "no list of 'evaluations'",
    ),
    "metrics that are cut": (_json("metrics.json", '{"eval'), "not JSON"),
    "a vocabulary that is no UTF-8": (
        lambda run: (run / "vocabulary.txt").write_bytes(b"\xff\n"),
        "vocabulary.txt: not readable",
    ),
}


def _like(dataset, value):
    return np.full(dataset.shape, value, dataset.dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN_DAMAGE)
def test_damaged_runs_are_one_line_of_error(
    name, finished, scripts, run_copy, tmp_path, capsys
):
    damage, words = RUN_DAMAGE[name]
    with h5py.File(tmp_path / "elsewhere.h5", "w") as file:
        file["secret"] = np.ones((2, 2))
    damage(run_copy)
    (run_copy / "sha256.json").unlink()
    arguments = [str(run_copy), "--data-root", str(finished)]
    refused(scripts.evaluate.main(arguments), capsys, words)
    assert not list(tmp_path.rglob("marker"))


def _object_state(run):
    hostile.object_array(run / "state" / "state.npz", run.parent / "marker")


def _giant_state(run):
    """An array that says it has 10^15 numbers."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(run / "state" / "state.npz", "w") as archive:
        archive.writestr("record.npy", array)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_object_state, "damaged training state"),
        (_giant_state, "damaged training state"),
        (lambda run: (run / "state" / "state.npz").write_bytes(b""), "damaged"),
        (lambda run: (run / "metrics.json").write_text("{"), "metrics.json: not JSON"),
        (lambda run: (run / "environment.json").write_text("{"), "not JSON"),
    ],
)
def test_a_damaged_state_is_not_resumed(
    damage, words, finished, scripts, run_copy, capsys
):
    damage(run_copy)
    log = (run_copy / "log.txt").read_text()
    code = scripts.train.main(
        [
            *(str(finished / "small.yaml"), "--data-root", str(finished)),
            *("--run", str(run_copy), "--resume"),
        ]
    )
    refused(code, capsys, words)
    assert not (run_copy.parent / "marker").exists()
    assert (run_copy / "log.txt").read_text() == log
