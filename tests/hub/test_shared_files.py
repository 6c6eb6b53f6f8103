"""Checks of the files of a run in a repository."""

import json
import pickle

import pytest

from dsa.errors import InputError
from dsa.hub import shared_files
from dsa.hub.shared_files import RUN_FILES, check_download, check_repository_files


def test_a_run_with_harmless_files_can_be_replaced():
    harmless = [".gitattributes", "README.md", "LICENSE", "maps.png"]
    check_repository_files([*RUN_FILES, *harmless], "a/b")
    assert not [name for name in RUN_FILES if "state" in name or "log" in name]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (["model.pkl"], "'model.pkl'"),
        (["model.bin", "x.py"], "'model.bin', 'x.py'"),
        (["../config.yaml"], "'../config.yaml'"),
        (["/etc/passwd"], "'/etc/passwd'"),
        (["a/README.md"], "'a/README.md'"),
        (["state/state.npz"], "'state/state.npz'"),
        (["a\n\x1b[2J"], r"'a\n\x1b[2J'"),
        ([f"{n}.pkl" for n in range(9)], "'4.pkl' and 4 more"),
    ],
)
def test_a_repository_with_other_files_is_not_overwritten(files, words):
    with pytest.raises(InputError) as error:
        check_repository_files([*RUN_FILES, *files], "a/b")
    assert words in str(error.value) and str(error.value).startswith("a/b: ")
    assert "\n" not in str(error.value)


def test_an_undamaged_run_passes(run):
    check_download(run, "a/b")


def _write(name, content):
    return lambda run: (run / name).write_bytes(content)


def _edit(name, old, new):
    def change(run):
        content = (run / name).read_bytes()
        assert old in content
        (run / name).write_bytes(content.replace(old, new))

    return change


def _remove_weights(run):
    """Removes the weights and their SHA-256."""
    (run / "best.weights.h5").unlink()
    record = json.loads((run / "sha256.json").read_text())
    del record["sha256"]["best.weights.h5"]
    (run / "sha256.json").write_text(json.dumps(record))


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 6\n"
DAMAGED = {
    "another kind of repository": (
        lambda run: (run / "vocabulary.txt").unlink(),
        "a/b: expected a run of dsa. Missing: vocabulary.txt",
    ),
    "a pickle as weights": (
        _write("best.weights.h5", pickle.dumps([1])),
        "changed after training: best.weights.h5",
    ),
    "a pointer as weights": (
        _write("best.weights.h5", POINTER),
        "changed after training: best.weights.h5",
    ),
    "no weights": (
        lambda run: (run / "best.weights.h5").unlink(),
        "incomplete run: best.weights.h5 is missing",
    ),
    "no weights, and none recorded": (
        _remove_weights,
        "incomplete run: best.weights.h5 is missing",
    ),
    "other words": (
        _edit("vocabulary.txt", b"dog", b"cat"),
        "changed after training",
    ),
    "no record": (lambda run: (run / "sha256.json").unlink(), "sha256.json is missing"),
    "a record that is no JSON": (_write("sha256.json", b"{"), "damaged"),
    "metrics that are no JSON": (_write("metrics.json", b"{"), "not JSON"),
    "an environment that is a list": (_write("environment.json", b"[]"), "run format"),
    "a config with a Python object": (
        _write("config.yaml", b"!!python/object/apply:os.system ['touch x']"),
        "changed after training: config.yaml",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_run_is_an_error_that_names_the_repository(name, run):
    change, words = DAMAGED[name]
    change(run)
    with pytest.raises(InputError) as error:
        check_download(run, "a/b")
    assert words in str(error.value) and str(error.value).startswith("a/b")
    assert str(run) not in str(error.value)
    assert "To accept the change" not in str(error.value)


def test_a_text_file_has_a_maximal_size(run, monkeypatch):
    monkeypatch.setattr(shared_files, "MAX_TEXT_BYTES", 348)
    with pytest.raises(InputError, match="a/b: .* must have at most 348 bytes"):
        check_download(run, "a/b")
