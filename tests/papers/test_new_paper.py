"""`dsa new-paper` writes a package with a model that trains and passes its tests."""

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
pytestmark = [pytest.mark.keras, pytest.mark.nightly_on_jax]


def install(project):
    """Writes the metadata that `pip install --editable` creates, with the entry points.

    Returns: the folder to put on the path.
    """
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


@pytest.fixture(autouse=True)
def unload_package():
    """Removes the imported package and its model after each test."""
    yield
    registry.FAMILIES.pop("my_model", None)
    for name in [name for name in sys.modules if name.split(".")[0] == "my_model"]:
        del sys.modules[name]


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


def run_tests(project, folder, *options):
    """Runs the tests of a written package in a process, in another folder."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", project, "-p", "no:cacheprovider"]
        + list(options),
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{project / 'src'}"},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_it_trains_after_installation_and_its_tests_pass(
    project, tmp_path, monkeypatch
):
    with pytest.raises(dsa.InputError, match="'my_model'"):
        dsa.train(project / "my_model.yaml", tmp_path / "early")
    source = install(project)
    monkeypatch.syspath_prepend(source)
    few = {"training.steps": 5, "training.evaluate_every": 5}
    run = dsa.train(project / "my_model.yaml", tmp_path / "run", few)
    with pytest.raises(dsa.InputError, match="the name of an existing model"):
        write_new_paper("my_model", tmp_path / "again")
    assert "name: my_model" in (run / "config.yaml").read_text()
    done = run_tests(project, tmp_path)
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout


def test_an_encoder_argument_without_a_setting_fails_its_tests(tmp_path):
    write_new_paper("other_model", tmp_path / "other_model")
    encoder = tmp_path / "other_model/src/other_model/encoder.py"
    text = encoder.read_text()
    assert text.count("dropout, seed, **kwargs") == 1
    encoder.write_text(text.replace("dropout, seed,", "dropout, seed, heads=4,"))
    done = run_tests(tmp_path / "other_model", tmp_path, "-k", "setting or equation")
    assert "1 failed, 1 passed" in done.stdout and "'heads'" in done.stdout, done.stdout


def test_the_dropout_of_the_encoder_has_the_seed_of_the_run(project, monkeypatch):
    monkeypatch.syspath_prepend(project / "src")
    from my_model.config import MyModelConfig, build_encoder

    from dsa.models.model_config import ModelParts
    from dsa.seeds import derived_seed

    config = MyModelConfig(name="my_model", units=3)
    parts = ModelParts(task=None, embedding=None, vocabulary_size=5, seed=13)
    encoder = build_encoder(config, parts)
    encoder.build((None, None, 7))
    assert encoder.drop.seed == derived_seed(13, "encoder")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("My-Model", "must be a valid package name"),
        ("on", "must be text in YAML. Received: on,"),
        ("null", "must be text in YAML. Received: null,"),
        ("class", "must be a valid package name"),
        ("../x", "must be a valid package name"),
        ("esim", "the name of an existing model or package"),
        ("numpy", "the name of an existing model or package"),
    ],
)
def test_an_invalid_or_existing_name_is_an_error(name, reason, tmp_path):
    with pytest.raises(dsa.InputError, match=reason):
        write_new_paper(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_existing_folder_is_not_changed(tmp_path, capsys):
    assert main(["new-paper", "my_model", "--out", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_every_file_of_the_example():
    page = (ROOT / "docs/extending.md").read_text()
    example = ROOT / "examples/new_paper"
    shown = ["pyproject.toml", "src/new_paper/encoder.py", "src/new_paper/config.py"]
    for name in [*shown, "new_paper.yaml", "test_new_paper.py"]:
        text = (example / name).read_text()
        assert f"`{name}`:\n\n```" in page and f"\n{text}```\n" in page, name
