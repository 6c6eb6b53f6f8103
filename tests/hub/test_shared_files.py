"""What a repository holds is refused before it is downloaded, or before it is used."""

import json
import pickle

import pytest

from dsa.errors import InputError
from dsa.hub.shared_files import (
    LARGEST,
    MOST_FILES,
    NEEDED,
    RUN_FILES,
    check_download,
    check_listing,
)

RUN = [(name, 10) for name in (*NEEDED, "best.weights.h5", "sha256.json")]
BESIDE = [(".gitattributes", 5), ("README.md", 5), ("LICENSE", 5), ("maps.png", 5)]


def test_only_files_of_a_run_and_its_card_are_downloaded():
    sizes = check_listing([*RUN, *BESIDE], "a/b")
    assert sizes == dict([*RUN, ("README.md", 5)])
    assert {*LARGEST} == {*RUN_FILES, "README.md"}
    assert not [name for name in LARGEST if "state" in name or "log" in name]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([("model.pkl", 5)], "what no run has: 'model.pkl'"),
        ([("model.bin", 5), ("x.py", 5)], "'model.bin', 'x.py'"),
        ([("../config.yaml", 5)], "'../config.yaml'"),
        ([("/etc/passwd", 5)], "'/etc/passwd'"),
        ([("a/README.md", 5)], "'a/README.md'"),
        ([("state/state.npz", 5)], "'state/state.npz'"),
        ([("state/", None)], "'state/'"),
        ([("a\n\x1b[2J", 5)], r"'a\n\x1b[2J'"),
        ([(f"{n}.pkl", 5) for n in range(9)], "'4.pkl' and 4 more"),
        ([("history.csv", 2 * 10**8 + 1)], "history.csv has 200,000,001 bytes"),
        ([("features.npz", 10**15)], "at most 8,000,000,000 are allowed"),
        ([("history.csv", None)], "history.csv has no size"),
        ([("history.csv", -1)], "history.csv has no size"),
        ([("history.csv", True)], "history.csv has no size"),
        ([(f"{n}.md", 5) for n in range(MOST_FILES)], "more than 100 files"),
    ],
)
def test_a_hostile_listing_is_refused(files, words):
    with pytest.raises(InputError) as error:
        check_listing([*RUN, *files], "a/b")
    assert words in str(error.value) and str(error.value).startswith("a/b: ")
    assert "\n" not in str(error.value)


def test_another_kind_of_repository_is_no_run():
    with pytest.raises(InputError, match="a/b: no run of dsa: vocabulary.txt is"):
        check_listing([*RUN[:1], *RUN[2:], ("model.bin", 5)], "a/b")


def sizes_of(folder):
    return {file.name: file.lstat().st_size for file in folder.iterdir()}


def test_a_sound_run_is_used(run):
    check_download(run, sizes_of(run), "a/b")


def _write(name, content):
    return lambda run: (run / name).write_bytes(content)


def _edit(name, old, new):
    def change(run):
        content = (run / name).read_bytes()
        assert old in content
        (run / name).write_bytes(content.replace(old, new))

    return change


def _remove_weights(run):
    """Both the weights and what the record says of them."""
    (run / "best.weights.h5").unlink()
    record = json.loads((run / "sha256.json").read_text())
    del record["sha256"]["best.weights.h5"]
    (run / "sha256.json").write_text(json.dumps(record))


def _link(run):
    (run / "history.csv").rename(run.parent / "outside")
    (run / "history.csv").symlink_to(run.parent / "outside")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 6\n"
UNSOUND = {
    "a pickle as weights": (
        _write("best.weights.h5", pickle.dumps([1])),
        "not as training wrote it: best.weights.h5",
    ),
    "a pointer as weights": (
        _write("best.weights.h5", POINTER),
        "not as training wrote it: best.weights.h5",
    ),
    "no weights": (
        lambda run: (run / "best.weights.h5").unlink(),
        "no complete run: best.weights.h5 is missing",
    ),
    "no weights, and none recorded": (
        _remove_weights,
        "no complete run: best.weights.h5 is missing",
    ),
    "other words": (
        _edit("vocabulary.txt", b"dog", b"cat"),
        "not as training wrote it",
    ),
    "no record": (lambda run: (run / "sha256.json").unlink(), "sha256.json is missing"),
    "a record that is no JSON": (_write("sha256.json", b"{"), "damaged"),
    "metrics that are no JSON": (_write("metrics.json", b"{"), "not JSON"),
    "an environment that is a list": (_write("environment.json", b"[]"), "run format"),
    "a config with a Python object": (
        _write("config.yaml", b"!!python/object/apply:os.system ['touch x']"),
        "not as training wrote it: config.yaml",
    ),
}


@pytest.mark.parametrize("name", UNSOUND)
def test_an_unsound_run_is_refused_and_its_repository_is_named(name, run):
    change, words = UNSOUND[name]
    change(run)
    with pytest.raises(InputError) as error:
        check_download(run, sizes_of(run), "a/b")
    assert words in str(error.value) and str(error.value).startswith("a/b")
    assert str(run) not in str(error.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_link, "history.csv is not the file that is listed"),
        (_write("extra.json", b""), "extra.json is not the file that is listed"),
        (lambda run: (run / "history.csv").unlink(), "history.csv is not the file"),
        (_edit("history.csv", b"\n", b"\n\n"), "and 349 are listed"),
    ],
)
def test_other_files_than_listed_are_refused(change, words, run):
    sizes = sizes_of(run)
    change(run)
    with pytest.raises(InputError, match=words):
        check_download(run, sizes, "a/b")
