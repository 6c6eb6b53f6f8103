"""`dsa plot`, on the histories of runs."""

import shutil
import subprocess
import sys

import pytest
import yaml

from dsa.commands.plot import main
from dsa.errors import InputError
from dsa.evaluation.curve_runs import read_curves
from dsa.hub.fetching import find_run_folder
from dsa.runs.run_folder import RunFolder
from tests.support.hostile_checks import assert_error
from tests.support.runs import write_experiment

HISTORY = """evaluation,step,epoch,loss,val_loss,val_accuracy,seconds
1,3,0.5,0.75,1.5,0.5,2.5
2,6,1.0,0.5,1.25,0.75,2.0
"""


@pytest.fixture
def run(tmp_path):
    """A function that writes a run folder with a history, and gives its path."""

    def write(name, history=HISTORY, **sections):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(write_experiment(folder, **sections), folder / "config.yaml")
        if history is not None:
            (folder / "history.csv").write_text(history)
        return str(folder)

    return write


def test_curves_are_printed_as_text(run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    other = run("other", HISTORY.replace("0.75,2.0", "1,2.0"))
    assert main([run("one"), other]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "dev accuracy" and printed.err == ""
    assert max(map(len, lines)) == 60
    assert lines[-3:] == ["over steps", "o one", "x other"]


def test_curves_are_named_by_differing_settings_and_releases_by_name(run, capsys):
    one = run("one")
    assert main([one, run("other", seed=8)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["o seed 3", "x seed 8"]
    assert main(["mini"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "o mini"
    release = find_run_folder("mini")
    copy = RunFolder(shutil.copytree(release.path, f"{one}/copy"))
    assert list(read_curves([release, copy]).curves) == ["mini", "copy"]


def test_train_is_read_beside_dev_where_a_history_has_it(run):
    folder = RunFolder(run("one"))
    train = {"DSA": ([3, 6], [0.75, 0.5])}
    curves = read_curves([folder], ["DSA"], "val_loss")
    assert curves.train == train
    cells = ("DSA", "6", "1.2500", "1.2500", "1.5000")  # last, minimum, maximum
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    assert row in curves._repr_html_()
    assert read_curves([folder], ["DSA"]).train == {}  # no accuracy in training
    assert read_curves([folder], ["DSA"], "loss").train == {}


def test_the_default_curve_is_the_metric_that_selects_the_weights(run):
    history = (
        HISTORY.replace("val_accuracy", "val_accuracy,val_macro_f1")
        .replace("1.5,0.5,", "1.5,0.5,0.25,")
        .replace("1.25,0.75,", "1.25,0.75,0.375,")
    )
    one = RunFolder(run("one", history, training={"metric": "macro_f1"}))
    curves = read_curves([one], ["DSA"])
    assert curves.label == "dev macro_f1"
    assert curves.curves == {"DSA": ([3, 6], [0.25, 0.375])}
    other = RunFolder(run("other"))
    with pytest.raises(InputError, match="macro_f1 in .*one, accuracy in .*other"):
        read_curves([one, other])


def test_another_number_over_another_axis(run, capsys):
    arguments = [run("one"), "--metric", "loss", "--over", "seconds", "--names", "DSA"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "loss" and lines[-3].split() == ["2.5", "4.5"]
    assert lines[-2:] == ["over seconds", "o DSA"]


@pytest.mark.parametrize(
    ("options", "name", "begin"),
    [
        (["--out", "a.png"], "a.png", b"\x89PNG"),
        (["--out", "a.PDF"], "a.pdf", b"%PDF"),
        (["--out", "a.svg", "--format", "svg"], "a.svg", b"<?xml"),
        (["--out", "a.b", "--format", "pdf"], "a.b.pdf", b"%PDF"),
        (["--out", "a", "--dpi", "50"], "a.png", b"\x89PNG"),
    ],
)
def test_a_figure_has_the_format_of_its_ending(
    run, options, name, begin, tmp_path, monkeypatch, capsys
):
    path = run("one")
    monkeypatch.chdir(tmp_path)
    assert main([path, *options]) == 0
    assert capsys.readouterr().out == f"written to {name}\n"
    assert (tmp_path / name).read_bytes().startswith(begin)
    assert_error(main([path, *options]), capsys, f"{name} already exists. --force")
    assert main([path, *options, "--force"]) == 0


def test_a_figure_has_a_line_for_each_run(run):
    runs = [RunFolder(run(name)) for name in ("one", "other")]
    curves = read_curves(runs, over="epochs")
    (axes,) = curves.draw().axes
    assert [list(line.get_xdata()) for line in axes.lines] == [[0.5, 1], [0.5, 1]]
    assert axes.get_xlabel() == "epochs" and axes.get_ylabel() == "dev accuracy"


def test_bad_input_is_one_line(run, tmp_path, capsys):
    one = run("one")
    similar = yaml.safe_load((tmp_path / "one" / "config.yaml").read_text())
    similar["data"]["corpus"] = "sick"
    other = run("other")
    (tmp_path / "other" / "config.yaml").write_text(yaml.safe_dump(similar))
    fitted = run("fitted", model={"name": "features"})
    (tmp_path / "empty").mkdir()
    for arguments, message in [
        ([one, str(tmp_path / "none")], "none: no such run folder"),
        (
            [one, str(tmp_path / "empty")],
            "is an incomplete run: config.yaml is missing",
        ),
        ([run("new", None)], "is an incomplete run: history.csv is missing"),
        ([run("begun", "step,loss\n")], "no evaluation yet"),
        ([one, other], "Received: accuracy in "),
        ([one, other], "Set 'metric' to a column of both runs"),
        ([fitted], "'features' is not trained in epochs and has no learning curve"),
        ([one, "--metric", "f1"], "no numbers in 'step' and 'f1'"),
        ([one, "--names", "a", "b"], "'names': expected 1 distinct names"),
        (
            [one, "--out", "a.png", "--format", "pdf"],
            "--format pdf and --out a.png have different formats",
        ),
        ([one, "--out", "c.bmp"], "--out must end with .png, .pdf or .svg"),
        *(
            (
                [one, "--out", out],
                f"--out must be the name of a file. Received: '{out}",
            )
            for out in ("", ".", "..", str(tmp_path))
        ),
    ]:
        assert_error(main(arguments), capsys, message)
    assert main([one, other, "--metric", "val_loss"]) == 0


def test_no_backend_is_imported():
    code = (
        "import sys; from dsa.commands.plot import main; main(['mini']);"
        "sys.exit(any(m in sys.modules for m in ('keras', 'tensorflow', 'jax')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "dev accuracy" in done.stdout, done.stderr


def test_a_format_requires_a_file(scripts, run, capsys):
    assert scripts.plot.main([str(run("one")), "--format", "pdf"]) == 2
    assert "--format, --dpi and --force require --out" in capsys.readouterr().err
