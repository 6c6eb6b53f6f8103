"""Commands in the pages are valid; commands without downloads run."""

import argparse
import os
import shlex

import pytest

import dsa
from dsa.commands.main import main
from tests.docs.test_docs import PAGES, ROOT, code_of, text_of

RUN = "runs/mini/dsa/seed-13"
FILES = {
    "pairs.jsonl": '{"sentence1": "A dog runs.", "sentence2": "An animal runs."}\n',
    "sentences.txt": "A big dog runs.\nA cat sleeps.\n",
}


class ParsedError(BaseException):
    """The arguments were parsed: nothing is run after that."""


def read_commands():
    """The arguments of every line `dsa ...`, once each, without shell syntax."""
    for page in PAGES:
        for line in code_of(text_of(page)):
            if line.startswith("dsa ") and "--help" not in line:
                words = shlex.split(line, comments=True)
                end = next((i for i, w in enumerate(words) if w in "|>"), None)
                yield tuple(words[1:end])


COMMANDS = [
    pytest.param(words, id=" ".join(words)) for words in dict.fromkeys(read_commands())
]


def needs_no_download(words):
    command, *rest = words
    if command in ("predict", "visualize", "encode", "evaluate", "lengths", "plot"):
        return rest[0] in ("snli", "mini") or rest[0] == RUN
    return command in ("list", "configs", "runs", "new-paper") or "--list" in words


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_a_page_parses(words, monkeypatch):
    for name in ("parse_args", "parse_intermixed_args"):
        parse = getattr(argparse.ArgumentParser, name)

        def parse_and_stop(parser, *arguments, parse=parse):
            parse(parser, *arguments)
            raise ParsedError

        monkeypatch.setattr(argparse.ArgumentParser, name, parse_and_stop)
    with pytest.raises(ParsedError):
        main(words)


def test_many_commands_are_read():
    assert len(COMMANDS) > 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A working directory with a short run of the bundled corpus and small files."""
    folder = tmp_path_factory.mktemp("pages")
    few = {"training.steps": 2, "training.evaluate_every": 2}
    dsa.train(ROOT / "configs/mini/dsa.yaml", folder / RUN, few)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "configs").symlink_to(ROOT / "configs")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [case for case in COMMANDS if needs_no_download(case.values[0])]
)
def test_a_command_that_needs_no_download_runs(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DSA_DATA", os.fspath(ROOT / "data"))
    force = ["--force"] if "--out" in words else []
    assert main([*words, *force]) == 0, capsys.readouterr().err
