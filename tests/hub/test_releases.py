"""Releases of the package, and the tool that writes them."""

import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml

import dsa
from dsa.errors import InputError
from dsa.hub import fetching, releases
from dsa.hub.releases import RELEASES
from dsa.hub.shared_files import CARD
from dsa.inference import onnx_inference
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.overview import list_releases
from tools.release_file import write_release

EARLIER = Path(__file__).parents[1] / "support/run_of_0_1_0/run"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))


def test_every_release_is_described_and_has_a_file_with_its_sha256():
    for name, release in RELEASES.items():
        assert release.description and release.terms and release.training
        content = (releases.BUNDLED_FOLDER / f"{name}.zip").read_bytes()
        assert hashlib.sha256(content).hexdigest() == release.sha256


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_contains_the_onnx_form_of_its_weights(name):
    run = fetching.find_run_folder(name)
    assert onnx_inference.choose_onnx(run, "onnx") == run.path / "onnx"
    form = sum(path.stat().st_size for path in (run.path / "onnx").iterdir())
    assert form < 10**6  # it has no copy of the weights


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_has_the_sha256_of_each_of_its_files(name):
    with zipfile.ZipFile(releases.BUNDLED_FOLDER / f"{name}.zip") as packed:
        recorded = json.loads(packed.read("sha256.json"))["sha256"]
        assert {*recorded} == {"config.yaml", "vocabulary.txt", "best.weights.h5"}
        for name, sha256 in recorded.items():
            assert hashlib.sha256(packed.read(name)).hexdigest() == sha256


def test_a_release_is_unpacked_once(monkeypatch):
    run = fetching.find_run("mini")
    assert (run / "config.yaml").is_file() and (run / CARD).is_file()
    assert not (run / "log.txt").exists() and not (run / "state").exists()
    monkeypatch.setattr(releases, "unpack", None)
    assert fetching.find_run("mini") == run


def test_a_folder_takes_precedence_over_a_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mini").mkdir()
    assert fetching.find_run("mini") == Path("mini")
    assert fetching.find_run("elsewhere/mini") == Path("elsewhere/mini")
    with pytest.raises(InputError, match="no such run folder, and no release .* mini,"):
        fetching.find_run("nothing")
    with pytest.raises(InputError, match="no release .* Did you mean 'snli'. Releases"):
        fetching.find_run("snl")


def test_an_unwritable_cache_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "file"))
    message = "file/releases.*: Not a directory. Set DSA_CACHE to another cache folder"
    with pytest.raises(InputError, match=message):
        fetching.find_run("mini")


def test_a_missing_or_damaged_file_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(releases, "BUNDLED_FOLDER", tmp_path)
    with pytest.raises(InputError, match="mini.zip is missing. Reinstall dsa"):
        fetching.find_run("mini")
    (tmp_path / "mini.zip").write_bytes(b"another file")
    with pytest.raises(InputError, match="mini.zip is damaged. The SHA-256 must be"):
        fetching.find_run("mini")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder `DSA_RELEASES` with a release `small`, a copy of `mini`."""
    (tmp_path / "releases").mkdir()
    shutil.copy(releases.BUNDLED_FOLDER / "mini.zip", tmp_path / "releases/small.zip")
    monkeypatch.setenv("DSA_RELEASES", str(tmp_path / "releases"))
    return tmp_path / "releases"


def test_a_file_in_the_folder_of_releases_is_found_by_its_name(folder):
    model, bundled = (dsa.load(name, runtime="onnx") for name in ("small", "mini"))
    pair = ("A big dog chases a cat.", "An animal follows a cat.")
    assert model.predict(pair) == bundled.predict(pair)
    assert model.run.known_as == "small" and model.run.path != bundled.run.path
    with pytest.raises(
        InputError, match=r"Did you mean 'small'\? .*: mini, snli, small"
    ):
        fetching.find_run("smal")


def test_a_replaced_file_in_the_folder_of_releases_is_unpacked(folder):
    first = fetching.find_run("small")
    assert fetching.find_run("small") == first
    write_release(folder / "small.zip", first, "other terms")
    second = fetching.find_run("small")
    assert second != first and "terms: other terms" in (second / CARD).read_text()


def test_a_bundled_release_takes_precedence_over_the_folder_of_releases(folder):
    (folder / "mini.zip").write_bytes(b"another file")
    assert dsa.load("mini", runtime="onnx").run.known_as == "mini"
    (folder / "mini.zip").unlink()
    folder.rename(folder.with_name("moved"))
    assert fetching.find_run("mini").is_dir()
    with pytest.raises(
        InputError, match="^DSA_RELEASES: the folder .*releases does not exist$"
    ):
        fetching.find_run("small")


def test_a_damaged_file_in_the_folder_of_releases_is_an_error(folder, tmp_path):
    content = bytearray((folder / "small.zip").read_bytes())
    content[2_000] ^= 1
    (folder / "changed.zip").write_bytes(content)
    (folder / "cut.zip").write_bytes(content[:1_000])
    with zipfile.ZipFile(folder / "card.zip", "w") as packed:
        packed.writestr(CARD, "# a card")
    for name, message in (
        ("changed", "changed.zip: damaged archive: best.weights.h5$"),
        (
            "cut",
            "cut.zip: expected a file written by tools/release_file.py: File is not",
        ),
        ("card", "card.zip: expected a run of dsa. Missing: config.yaml, vocabulary"),
    ):
        with pytest.raises(InputError, match=message):
            fetching.find_run(name)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    table = list_releases()
    title = "dsa on the bundled corpus of dsa"
    assert f"\n| small | {title} | 0.4 MB | - | Apache-2.0" in table
    assert (
        "cut.zip: expected a file written by tools/release_file.py: File is not"
        in table
    )


def test_a_release_file_is_reproducible_and_has_a_card(tmp_path):
    for name in ("one.zip", "two.zip"):
        write_release(tmp_path / name, EARLIER, "Apache-2.0; SNLI: CC BY-SA 4.0")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        card = packed.read(CARD).decode()
        assert not [name for name in packed.namelist() if "state" in name]
    assert "terms: Apache-2.0; SNLI: CC BY-SA 4.0" in card
    assert "| dev | dev.jsonl |" in card and "entailment" in card


def test_stored_predictions_are_not_released(tmp_path):
    run = shutil.copytree(EARLIER, tmp_path / "run")
    (run / "answers_test.npz").write_bytes(b"predictions")
    write_release(tmp_path / "a.zip", run, "none")
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert "config.yaml" in packed.namelist()
        assert "answers_test.npz" not in packed.namelist()


def test_files_that_do_not_belong_to_a_run_are_not_released(tmp_path):
    run = shutil.copytree(EARLIER, tmp_path / "run")
    (run / "training_rows.npz").write_bytes(b"keys")
    (run / "notes.txt").write_text("mine")
    write_release(tmp_path / "a.zip", run, "none")
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert not {"training_rows.npz", "notes.txt"} & {*packed.namelist()}


def test_a_damaged_run_is_not_released(tmp_path):
    run = shutil.copytree(EARLIER, tmp_path / "run")
    with (run / "config.yaml").open("a") as file:
        file.write("# changed\n")
    with pytest.raises(InputError, match="config.yaml"):
        write_release(tmp_path / "a.zip", run, "none")


def test_the_released_run_must_be_the_best_candidate(tmp_path):
    run = RunFolder(shutil.copytree(EARLIER, tmp_path / "run"))
    other = shutil.copytree(EARLIER, tmp_path / "other")
    config = yaml.safe_load((other / "config.yaml").read_text())
    config["seed"] = 99
    (other / "config.yaml").write_text(yaml.safe_dump(config))
    metrics = json.loads((other / "metrics.json").read_text())
    dev = [entry for entry in metrics["evaluations"] if entry["split"] == "dev"]
    dev[-1]["accuracy"] += 0.01
    (other / "metrics.json").write_text(json.dumps(metrics))
    with pytest.raises(InputError, match="best accuracy on dev, seed 99. Received"):
        write_release(tmp_path / "a.zip", run.path, "none", [run.path, other])
    dev[-1]["accuracy"] -= 0.02
    metrics["evaluations"].append(dev[-1])  # evaluated twice
    (other / "metrics.json").write_text(json.dumps(metrics))
    write_release(tmp_path / "a.zip", run.path, "none", [run.path, other])
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        card = packed.read(CARD).decode()
    assert "| seed | accuracy on dev |" in card and card.count("| 99 |") == 1


def test_only_a_finished_run_is_released(tmp_path):
    shutil.copytree(EARLIER, tmp_path / "run")
    (tmp_path / "run/history.csv").unlink()
    with pytest.raises(InputError, match="is not a finished run"):
        write_release(tmp_path / "a.zip", tmp_path / "run", "none")


def test_the_bundled_run_predicts(capsys):
    pair = ("A big dog chases a cat.", "An animal follows a cat.")
    (answer,) = dsa.load("mini").predict(pair)
    assert answer.label == "entailment"


def test_the_model_of_snli_answers_as_its_card_was_written():
    pairs = [
        ("A man sleeps on a bench.", "A person is sleeping."),
        ("A woman is playing the guitar on stage.", "A woman is swimming in a lake."),
        ("Two dogs run through the snow.", "The dogs are chasing a rabbit."),
        ("No child is playing.", "A child is playing."),  # wrong, see the card
    ]
    answers = [answer.label for answer in dsa.load("snli").predict(pairs)]
    assert answers == ["entailment", "contradiction", "neutral", "entailment"]


def test_the_card_of_snli_has_training_data_and_results():
    card = (fetching.find_run("snli") / CARD).read_text()
    run = RunFolder(fetching.find_run("snli"))
    dev = run.current_evaluations()[0]
    assert dev["split"] == "dev" and dev["accuracy"] >= 0.76
    assert f"accuracy {dev['accuracy']:.4f}" in card and "partial data" in card
    assert not [entry for entry in run.metrics() if entry["split"] == "test"]
