"""Tests of file names that are not UTF-8."""

import io
import logging
import os
import pathlib
import sys

import dsa
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.evaluation.splits import find_split
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.command_line import command
from dsa.system.terminal import logging_to
from tests.support.runs import SMALL_MODEL, write_experiment

NAME = os.fsdecode(b"a\xff")


def test_the_recorded_command_can_be_encoded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = write_experiment(tmp_path, model=SMALL_MODEL, training={"steps": 1})
    config.rename(f"{NAME}.yaml")
    run = dsa.train(f"{NAME}.yaml", data_root=tmp_path)
    assert run == pathlib.Path("runs", NAME, "seed-3")
    recorded = RunFolder(run).environment()["command"]
    assert recorded == r"dsa train 'a\xff.yaml'"


def test_json_files_preserve_file_names(tmp_path):
    run = RunFolder(tmp_path)
    run.write_json("a.json", {"file": NAME, "other": "é\ud800"})
    assert run.read_json("a.json") == {"file": NAME, "other": "é\ud800"}
    assert "é" in (tmp_path / "a.json").read_text()


def test_an_evaluated_file_has_a_printable_name(tmp_path):
    class Trained:
        class run:
            splits = staticmethod(dict)

        experiment, tokenizer = (
            load_experiment(write_experiment(tmp_path)),
            None,
        )

    Trained.tokenizer = Tokenizer()
    (tmp_path / "test.jsonl").rename(tmp_path / f"{NAME}.jsonl")
    split = find_split(Trained, tmp_path, file=f"{NAME}.jsonl")
    assert (split.split, split.name) == ("file", r"a\xff.jsonl")


def test_logs_and_standard_output_escape_file_names(tmp_path, monkeypatch, capsys):
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", written)

    @command
    def main(arguments):
        print(f"run folder: {NAME}")
        with logging_to(tmp_path / "log.txt"):
            logging.getLogger("dsa").info("file %s", NAME)

    assert main([]) == 0
    written.seek(0)
    assert r"run folder: a\udcff" in written.read()
    assert r"file a\udcff" in (tmp_path / "log.txt").read_text()
    assert "Traceback" not in capsys.readouterr().err
