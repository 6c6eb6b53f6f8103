"""Output and exit code of `dsa doctor`."""

import collections
import os
import shutil
import subprocess
import sys
from importlib import metadata

import pytest

from dsa.backends import device_check
from dsa.backends.choice import get_backend_name
from dsa.backends.device_check import BackendStart
from dsa.commands import doctor
from dsa.commands.doctor import main

FACTS = ("3.15.1", "2.21.0", "CPU", ["a processor"])
REQUIRES = [
    "keras>=3.10",
    'ray>=2.40; extra == "cluster"',
    'onnxruntime>=1.18; extra == "export"',
    'tf2onnx>=1.17; extra == "export"',
    'pytest>=8; extra == "test"',
    'tensorflow[and-cuda]>=2.18; extra == "tensorflow-gpu"',
]
Usage = collections.namedtuple("Usage", "free")


@pytest.fixture
def healthy(monkeypatch, tmp_path):
    """A machine without problems, and its data root."""
    monkeypatch.setattr(device_check, "start_backend", lambda: BackendStart(FACTS, []))
    monkeypatch.setattr(device_check, "CARD_FILES", "/nothing")
    monkeypatch.setattr(device_check, "list_cards", dict)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(9 * 2**30))
    monkeypatch.setattr(doctor, "measure_available_memory", lambda: 4 * 2**30)
    monkeypatch.setenv("DSA_DATA", str(tmp_path))
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    return tmp_path


def problems(capsys):
    """The problems that are found; the exit code is 1."""
    with pytest.raises(SystemExit) as end:
        main([])
    printed = capsys.readouterr()
    assert end.value.code == 1 and printed.err == ""
    assert "no problems found" not in printed.out
    return [x for x in printed.out.splitlines() if x.startswith("problem: ")]


def test_a_machine_without_problems_is_described(healthy, capsys, monkeypatch):
    monkeypatch.setattr(metadata, "requires", lambda name: REQUIRES)
    installed = {"ray": True, "onnxruntime": True, "tf2onnx": False}
    monkeypatch.setattr(doctor, "is_installed", installed.get)
    for file in ("snli_1.0/snli_1.0_train.jsonl", "snli_1.0/snli_1.0_test.jsonl.gz"):
        (healthy / file).parent.mkdir(exist_ok=True)
        (healthy / file).touch()
    (healthy / "glove").mkdir()
    (healthy / "glove/glove.6B.50d.txt").touch()
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "\ndevice     CPU, a processor, " in out and "2.21.0, Keras 3.15.1\n" in out
    assert "\nextras     cluster\n  missing  export\n" in out
    assert f"\ndata root  {healthy}\n" in out
    assert "\n  corpora  mini (bundled), snli (train, test)\n  vectors" in out
    assert "\n  vectors  glove.6B.50d.txt\n" in out
    assert "\nreleases   mini, snli\n" in out
    assert f"\ncache      {healthy / 'cache'}\n" in out
    assert "disk (here) 9.0 GB, disk (data root) 9.0 GB, disk (cache) 9.0 GB" in out
    assert out.endswith(", memory 4.0 GB\nno problems found\n")


def test_a_card_that_is_not_used_is_a_problem(healthy, capsys, monkeypatch):
    (healthy / "nvidia0").touch()
    monkeypatch.setattr(device_check, "CARD_FILES", f"{healthy}/nvidia[0-9]*")
    (problem,) = problems(capsys)
    assert f"NVIDIA card ({healthy}/nvidia0)" in problem
    assert "docs/scaling.md" in problem


def test_a_backend_that_does_not_start_is_a_problem(healthy, capsys, monkeypatch):
    failed = BackendStart(None, ["ImportError: libcudart.so.12"])
    monkeypatch.setattr(device_check, "start_backend", lambda: failed)
    monkeypatch.setattr("dsa.backends.choice.check_backend", lambda: None)
    (problem,) = problems(capsys)
    assert (
        " does not start: ImportError: libcudart.so.12. To reinstall it: pip "
        f"install --force-reinstall {get_backend_name()}" in problem
    )


def test_a_missing_folder_of_releases_is_a_problem(healthy, capsys, monkeypatch):
    monkeypatch.setenv("DSA_RELEASES", str(healthy / "nowhere"))
    (problem,) = problems(capsys)
    folder = healthy / "nowhere"
    assert problem == f"problem: DSA_RELEASES: the folder {folder} does not exist"


@pytest.mark.parametrize("name", ["foo", "torch"])
def test_a_backend_that_is_unknown_or_missing_is_a_problem(
    healthy, capsys, monkeypatch, name
):
    monkeypatch.setenv("KERAS_BACKEND", name)
    if name == "torch":
        monkeypatch.setattr(sys, "path", [])
    (problem,) = problems(capsys)
    assert problem.startswith(f"problem: KERAS_BACKEND: {'un' * (name == 'foo')}")
    assert name in problem


def test_missing_data_vectors_and_room_are_problems(healthy, capsys, monkeypatch):
    (healthy / "snli_1.0").mkdir()
    (healthy / "snli_1.0/snli_1.0_train.jsonl").touch()
    (problem,) = problems(capsys)
    assert problem.startswith(
        "problem: word vectors are missing. To download: dsa download glove.840B.300d"
    )
    for file in (
        "word2vec/GoogleNews.300d.bolukbasi26k.txt",
        "explosion/explosion.300d.nli.txt.gz",
    ):
        (healthy / file).parent.mkdir()
        (healthy / file).touch()
        main([])
        assert "no problems found" in capsys.readouterr().out
        (healthy / file).unlink()
    monkeypatch.setenv("DSA_DATA", str(healthy / "nowhere"))
    monkeypatch.setattr(doctor, "measure_available_memory", lambda: 2**30)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    data, cache, room = problems(capsys)
    assert data.startswith(f"problem: data root {healthy / 'nowhere'} does not exist. ")
    assert cache.startswith(f"problem: {healthy / 'cache'} is not writable. Set DSA_C")
    assert room == "problem: memory: expected at least 2.0 GB free. Received: 1.0 GB"


def test_extras_are_unknown_for_a_package_not_installed_by_pip(
    healthy, capsys, monkeypatch
):
    def fail(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", fail)
    assert main([]) == 0
    assert (
        "\nextras     unknown: dsa-nli was not installed with pip"
        in capsys.readouterr().out
    )


def test_the_command_imports_no_backend():
    code = (
        "import sys; from dsa.commands import doctor; [*doctor.inspect_backend()]\n"
        "assert not {'keras', 'tensorflow', 'jax', 'torch'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_needs_of_a_table_are_checked(healthy, capsys, monkeypatch):
    (healthy / "snli_1.0").mkdir()
    for split in ("train", "dev"):
        (healthy / f"snli_1.0/snli_1.0_{split}.jsonl").write_text("{}\n")
    monkeypatch.setattr(metadata, "requires", lambda name: ["keras>=3.10", "nolib>=2"])
    monkeypatch.setattr(doctor, "is_installed", lambda name: name == "keras")
    monkeypatch.setattr(doctor, "measure_available_memory", lambda: 3 * 2**30)
    arguments = ["--for", "dsa-1", "--runs", str(healthy / "runs")]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out = capsys.readouterr().out
    assert end.value.code == 1
    assert (
        "table      SNLI (Im & Cho 2017, Table 1), preset full, runs to train: 10\n"
        in out
    )
    assert "optional missing: snli_1.0/snli_1.0_test.jsonl (only for evaluation" in out
    assert (
        "problem: missing: glove.840B.300d.zip. dsa download glove.840B.300d 2,1" in out
    )
    assert "problem: missing packages: nolib. Install them with pip" in out
    assert "problem: memory: expected at least 4.0 GB free. Received: 3.0 GB" in out
    assert "problem: disk (data root): expected at least " in out
    assert "GB free. Received: 9.0 GB" in out
