"""Releases: from a name to a run, and from a run to a file."""

import functools
import hashlib
import http.server
import json
import re
import shutil
import threading
import zipfile
from pathlib import Path

import pytest

import dsa
from dsa.errors import InputError
from dsa.hub import fetching, releases
from dsa.hub.releases import RELEASES, Release
from dsa.hub.shared_files import CARD
from tools.release_file import write_release

PACKAGE = Path(fetching.__file__).parent
EARLIER = Path(__file__).parents[1] / "support/run_of_0_1_0/run"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(releases.VARIABLE, raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the file of a release `small`."""
    folder = tmp_path / "server"
    folder.mkdir()
    write_release(folder / "small.zip", EARLIER, "Apache-2.0")
    sha256 = hashlib.sha256((folder / "small.zip").read_bytes()).hexdigest()
    release = Release("small", "a run", "Apache-2.0", "small.zip", sha256)
    monkeypatch.setitem(RELEASES, "small", release)
    return folder


def test_every_release_has_terms_a_training_and_a_file_with_its_sha256():
    for name, release in RELEASES.items():
        assert release.name == name and release.what and release.terms
        assert release.file.endswith(".zip") and release.training
        assert re.fullmatch("[0-9a-f]{64}", release.sha256)
        if release.bundled:
            content = (PACKAGE / release.file).read_bytes()
            assert hashlib.sha256(content).hexdigest() == release.sha256


def test_the_bundled_run_vouches_for_itself():
    with zipfile.ZipFile(PACKAGE / "mini.zip") as packed:
        recorded = json.loads(packed.read("sha256.json"))["sha256"]
        assert {*recorded} == {"config.yaml", "vocabulary.txt", "best.weights.h5"}
        for name, sha256 in recorded.items():
            assert hashlib.sha256(packed.read(name)).hexdigest() == sha256


def test_the_bundled_run_is_unpacked_once(monkeypatch):
    run = fetching.find_run("mini")
    assert (run / "config.yaml").is_file() and (run / CARD).is_file()
    assert not (run / "log.txt").exists() and not (run / "state").exists()
    monkeypatch.setattr(releases, "_fetch_file", None)
    assert fetching.find_run("mini") == run


def test_a_folder_comes_before_a_release_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mini").mkdir()
    assert fetching.find_run("mini") == Path("mini")
    assert fetching.find_run("elsewhere/mini") == Path("elsewhere/mini")
    with pytest.raises(InputError, match="no such run folder, and no release .* mini,"):
        fetching.find_run("nothing")


def test_what_no_server_has_says_so_and_how_it_is_trained():
    with pytest.raises(InputError, match="no server .*snli_40k.zip, yet.* dsa train"):
        fetching.find_run("snli_40k")


def test_a_release_comes_from_a_folder(folder, monkeypatch):
    with pytest.raises(InputError, match="DSA_RELEASES must name the folder"):
        fetching.find_run("small")
    monkeypatch.setenv(releases.VARIABLE, str(folder))
    run = fetching.find_run("small")
    assert (run / "vocabulary.txt").read_text() == (
        EARLIER / "vocabulary.txt"
    ).read_text()


def test_a_release_comes_from_an_address(folder, monkeypatch):
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(folder)
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv(releases.VARIABLE, f"{address}/nowhere/")
    with pytest.raises(InputError, match="small.zip could not be downloaded: 404"):
        fetching.find_run("small")
    monkeypatch.setenv(releases.VARIABLE, address)
    assert (fetching.find_run("small") / "config.yaml").is_file()
    server.shutdown()


def test_another_file_is_refused_and_nothing_is_kept(folder, monkeypatch, tmp_path):
    monkeypatch.setenv(releases.VARIABLE, str(folder))
    (folder / "small.zip").write_bytes(b"another file")
    with pytest.raises(InputError, match="not the release 'small': its sha256 must be"):
        fetching.find_run("small")
    (folder / "small.zip").unlink()
    with pytest.raises(InputError, match="small.zip: there is no such file"):
        fetching.find_run("small")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_release_file_is_the_same_each_time_and_has_a_card(tmp_path):
    for name in ("one.zip", "two.zip"):
        write_release(tmp_path / name, EARLIER, "Apache-2.0; SNLI: CC BY-SA 4.0")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        card = packed.read(CARD).decode()
        assert not [name for name in packed.namelist() if "state" in name]
    assert "terms: Apache-2.0; SNLI: CC BY-SA 4.0" in card
    assert "| dev | dev.jsonl |" in card and "entailment" in card


def test_only_a_finished_run_is_released(tmp_path):
    shutil.copytree(EARLIER, tmp_path / "run")
    (tmp_path / "run/history.csv").unlink()
    with pytest.raises(InputError, match="not finished, it cannot be released"):
        write_release(tmp_path / "a.zip", tmp_path / "run", "none")


@pytest.mark.keras
def test_the_bundled_run_predicts(capsys):
    pair = ("A big dog chases a cat.", "An animal follows a cat.")
    (answer,) = dsa.load("mini").predict(pair)
    assert answer.label == "entailment"
