"""Names of repositories, before any network."""

import pathlib
import re
import sys

import pytest

from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub.fetching import find_run
from dsa.hub.repository import Repository, is_hub_address
from dsa.runs.run_folder import RunFolder
from dsa.system.extras import format_install_command

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "name", "revision"),
    [
        ("maria/dsa", "maria/dsa", None),
        ("hf://maria/dsa-snli.v1@main", "maria/dsa-snli.v1", "main"),
        (pathlib.Path("hf://maria/dsa@refs/pr/1"), "maria/dsa", "refs/pr/1"),
        (f"maria/dsa@{COMMIT}", "maria/dsa", COMMIT),
    ],
)
def test_a_name_is_parsed_with_its_revision(text, name, revision):
    repository = Repository.parse(text)
    assert (repository.name, repository.revision) == (name, revision)
    assert repository.commit == (COMMIT if revision == COMMIT else None)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "maria",
            "maria/",
            "/dsa",
            "maria/dsa/more",
            "../dsa",
            "maria/..",
            "a/b c",
        ),
        *(
            "maria/d--sa",
            "maria/dsa.git",
            "maria/dsä",
            "a/" + "b" * 95,
            "a/b\n",
            "a/b?c",
        ),
    ],
)
def test_a_malformed_name_is_an_error_of_one_line(text, tmp_path, capsys):
    assert main(["pull", text, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: the name of a repository must be user/name")
    assert error.count("\n") == 1


@pytest.mark.parametrize("revision", ["", "a b", "../main", "a//b", "a?b", "-x", "a\n"])
def test_a_malformed_revision_is_an_error(revision):
    with pytest.raises(
        InputError, match="a revision must be a branch, a tag or a commit"
    ):
        Repository.parse(f"maria/dsa@{revision}")


def test_only_an_address_has_the_prefix():
    assert is_hub_address("hf://maria/dsa") and is_hub_address(
        pathlib.Path("hf://maria/dsa")
    )
    assert not is_hub_address("runs/maria") and not is_hub_address("mini")


def test_a_folder_takes_precedence_over_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("hf:/maria/dsa").mkdir(parents=True)
    assert find_run("hf://maria/dsa") == pathlib.Path("hf:/maria/dsa")


@pytest.mark.parametrize("command", ["push", "pull", "load"])
def test_a_missing_package_is_named(command, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    from dsa.hub.fetching import fetch_repository, pull
    from dsa.hub.upload import push

    calls = {
        "push": lambda: push(RunFolder(run), "maria/dsa"),
        "pull": lambda: pull("maria/dsa", tmp_path / "out"),
        "load": lambda: fetch_repository("hf://maria/dsa"),
    }
    with pytest.raises(InputError, match=re.escape(format_install_command("hub"))):
        calls[command]()
