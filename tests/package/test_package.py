"""What a release is: built, checked, and used in an empty environment. `make
test-package` runs this, as it installs a backend once more."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile

import pytest

import dsa

ROOT = pathlib.Path(__file__).parents[2]
BUNDLED = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("configs/**/*.yaml"),
        *ROOT.glob("data/mini/*"),
        *ROOT.glob("examples/new_paper/**/*.*"),
    )
    if path.suffix not in {".pyc", ".egg-info"}
)
VARIABLES = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
FEW_STEPS = ("--set", "training.steps=5")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder, ROOT],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    wheel, sdist = sorted(folder.iterdir(), key=lambda file: file.suffix, reverse=True)
    return wheel, sdist


@pytest.fixture(scope="module")
def environment(files, tmp_path_factory):
    """An environment that holds the wheel, and nothing of the checkout."""
    return install(files[0], "tensorflow", tmp_path_factory.mktemp("environment"))


def install(wheel, extra, folder):
    """Installs the wheel with an extra in a new environment; returns its folder."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, f"{wheel}[{extra}]"], check=True, env=VARIABLES)
    return folder


@pytest.fixture(scope="module")
def call(environment, tmp_path_factory):
    """Calls a program of the environment in a folder that was empty."""
    folder = tmp_path_factory.mktemp("elsewhere")

    def run(name, *arguments):
        return subprocess.run(
            [environment / "bin" / name, *arguments],
            cwd=folder,
            env=VARIABLES,
            capture_output=True,
            text=True,
        )

    return run


def test_the_index_would_take_both_files(files):
    check = [sys.executable, "-m", "twine", "check", "--strict", *files]
    subprocess.run(check, check=True)
    stem = f"dsa_nli-{dsa.__version__}"
    assert [f.name for f in files] == [f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"]


def test_both_files_hold_the_configs_and_the_bundled_corpus(files):
    begin = "dsa/bundled/"
    with zipfile.ZipFile(files[0]) as wheel:
        names = [name for name in wheel.namelist() if name.startswith(begin)]
    assert sorted(name.removeprefix(begin) for name in names) == BUNDLED
    with tarfile.open(files[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {*BUNDLED} <= names


def test_the_links_of_the_long_description_lead_somewhere(files):
    """Those to files are absolute, the others are headings of the same page."""
    with zipfile.ZipFile(files[0]) as wheel:
        (name,) = [n for n in wheel.namelist() if n.endswith("/METADATA")]
        text = wheel.read(name).decode()
    pattern = r'(?:\]\(|src=")([^)"]+)'
    links = re.findall(pattern, text)
    written = re.findall(pattern, (ROOT / "README.md").read_text())
    ends = [one.removeprefix("https://") for one in written]
    assert ends and len(links) == len(ends)
    assert [
        pair for pair in zip(links, ends, strict=True) if not pair[0].endswith(pair[1])
    ] == []
    headings = {
        f"#{re.sub('[^a-z ]', '', title.lower()).replace(' ', '-')}"
        for title in re.findall("^## (.+)$", text, re.M)
    }
    inside = {link for link in links if not link.startswith("https://")}
    assert inside <= headings, inside - headings


def test_the_package_lists_its_configs(call):
    done = call("dsa", "configs")
    assert done.returncode == 0, done.stderr
    tables = "configs/tables/"  # rows of the papers' tables, no experiments
    configs = [
        name
        for name in BUNDLED
        if name.startswith("configs/") and not name.startswith(tables)
    ]
    assert re.findall(r"^\| (configs/\S+)", done.stdout, re.M) == configs


@pytest.mark.parametrize("name", ["configs/mini/dsa.yaml", "mini/dsa"])
def test_a_config_of_the_package_is_trained_and_the_run_predicts(call, name):
    done = call("dsa", "train", name, *FEW_STEPS, "--resume", "--evaluate", "test")
    assert done.returncode == 0, done.stderr
    (run,) = re.findall(
        r"^run folder: (runs/mini/dsa/\w{8}/seed-13)$", done.stdout, re.M
    )
    done = call("dsa", "predict", run, "A big dog sleeps.", "An animal sleeps.")
    assert done.returncode == 0, done.stderr
    assert "entailment" in done.stdout


def test_the_python_of_the_readme_runs(call):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)[1]
    code = code.replace("training.epochs=1", "training.steps=2")
    done = call("python", "-c", code + "print(dsa.load('mini').run.path.name)")
    assert done.returncode == 0, done.stderr
    assert "'entailment'" in done.stdout and "mini-" in done.stdout


def test_a_written_paper_is_installed_and_trained(call):
    done = call("dsa", "new-paper", "my_model")
    assert done.returncode == 0, done.stderr
    done = call("python", "-m", "pip", "install", "--quiet", "--no-deps", "./my_model")
    assert done.returncode == 0, done.stderr
    done = call("dsa", "train", "my_model/my_model.yaml", *FEW_STEPS)
    assert done.returncode == 0, done.stderr


def test_a_config_that_is_nowhere_is_one_line(call):
    done = call("dsa", "train", "mini/nothing")
    assert (done.returncode, done.stderr) == (
        2,
        "error: mini/nothing: not readable: No such file or directory. `dsa list "
        "configs` lists all configs\n",
    )


def test_a_package_without_its_configs_is_a_one_line_error(call, environment):
    (bundled,) = environment.glob("lib/*/site-packages/dsa/bundled")
    hidden = bundled.rename(bundled.with_name("hidden"))
    try:
        done = call("dsa", "train", "mini/dsa")
    finally:
        hidden.rename(bundled)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "this installation of dsa lacks its configs" in done.stderr


def test_a_release_answers_where_there_is_no_backend(files, tmp_path):
    bare = install(files[0], "serve", tmp_path / "bare")
    assert not [*bare.glob("lib/*/site-packages/tensorflow")]
    sizes = [path.stat().st_size for path in bare.rglob("*") if path.is_file()]
    assert sum(sizes) < 0.85e9  # 0.8 GB in docs/export.md
    (tmp_path / "texts.txt").write_text("A big dog sleeps.\n")
    for arguments in (
        ["predict", "snli", "A big dog sleeps.", "An animal sleeps."],
        ["encode", "snli", "--file", "texts.txt", "--out", "vectors.npy"],
    ):
        done = subprocess.run(
            [bare / "bin/dsa", *arguments],
            cwd=tmp_path,
            env=VARIABLES,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    assert "1 vectors of " in done.stdout
    serve = [bare / "bin/dsa", "serve", "snli", "--port", "0"]
    with subprocess.Popen(
        serve, cwd=tmp_path, env=VARIABLES, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().split()[0]
            body = json.dumps({"rows": [["A big dog sleeps.", "An animal sleeps."]]})
            with urllib.request.urlopen(f"{address}/predict", body.encode()) as answer:
                (label,) = [each["label"] for each in json.load(answer)["answers"]]
        finally:
            server.terminate()
    assert label == "entailment"
