"""`dsa new-paper` writes a package with a model that is found, trained and tested."""

import os
import pathlib
import subprocess
import sys
import tomllib

import pytest

import dsa
from dsa.commands.main import main
from dsa.models import registry
from dsa.papers.new_paper import write_new_paper

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.keras


def install(project):
    """What `pip install --editable` leaves of a written package: a description of it,
    with its entry points, on the path. Returns the folder."""
    source = project / "src"
    settings = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    facts = source / f"{settings['name']}-{settings['version']}.dist-info"
    facts.mkdir()
    lines = [f"Name: {settings['name']}", f"Version: {settings['version']}"]
    (facts / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]))
    (group,) = settings["entry-points"].items()
    points = [f"{name} = {place}" for name, place in group[1].items()]
    (facts / "entry_points.txt").write_text("\n".join([f"[{group[0]}]", *points, ""]))
    return source


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers") / "my_model"
    assert main(["new-paper", "my_model", "--out", str(folder)]) == 0
    return folder


def test_the_command_that_installs_it_is_printed_last(tmp_path, capsys):
    assert main(["new-paper", "my_model", "--out", str(tmp_path / "here")]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"next: pip install --editable {tmp_path / 'here'}"


def test_the_package_has_the_name_everywhere(project):
    files = [path for path in project.rglob("*") if path.is_file()]
    names = sorted(path.relative_to(project).as_posix() for path in files)
    assert names == [
        "my_model.yaml",
        "pyproject.toml",
        "src/my_model/__init__.py",
        "src/my_model/config.py",
        "src/my_model/encoder.py",
        "test_my_model.py",
    ]
    texts = "".join(path.read_text() for path in files)
    assert "new_paper" not in texts and "NewPaper" not in texts
    assert "class MyModelEncoder(" in texts


def test_it_is_found_and_trained_and_its_own_test_passes(
    project, tmp_path, monkeypatch
):
    with pytest.raises(dsa.InputError, match="'my_model'"):
        dsa.train(project / "my_model.yaml", tmp_path / "early")
    source = install(project)
    monkeypatch.syspath_prepend(source)
    try:
        few = {"training.steps": 5, "training.evaluate_every": 5}
        run = dsa.train(project / "my_model.yaml", tmp_path / "run", few)
        with pytest.raises(dsa.InputError, match="the name of another model"):
            write_new_paper("my_model", tmp_path / "again")
    finally:
        registry.FAMILIES.pop("my_model", None)
    assert "name: my_model" in (run / "config.yaml").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", project, "-p", "no:cacheprovider"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{source}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("My-Model", "the name of a Python package is needed"),
        ("class", "the name of a Python package is needed"),
        ("../x", "the name of a Python package is needed"),
        ("esim", "the name of another model or package"),
        ("numpy", "the name of another model or package"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(name, reason, tmp_path):
    with pytest.raises(dsa.InputError, match=reason):
        write_new_paper(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_there_stays_as_it_is(tmp_path, capsys):
    assert main(["new-paper", "my_model", "--out", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_every_file_of_the_example():
    page = (ROOT / "docs/extending.md").read_text()
    example = ROOT / "examples/new_paper"
    shown = ["pyproject.toml", "src/new_paper/encoder.py", "src/new_paper/config.py"]
    for name in [*shown, "new_paper.yaml", "test_new_paper.py"]:
        text = (example / name).read_text()
        assert f"`{name}`:\n\n```" in page and f"\n{text}```\n" in page, name
