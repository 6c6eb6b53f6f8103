import pytest

from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_curve, read_history

HISTORY = """evaluation,step,epoch,loss,val_loss,seconds
1,3,0.5,0.75,,2.5
2,6,1.0,0.5,1.25,2.0
3,7,1.5,0.25,nan,0.5
4,9,2.0,0.125,1.0,1.0
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "history.csv").write_text(HISTORY)
    return RunFolder(tmp_path)


def test_a_history_is_read_with_none_for_empty_fields(run):
    first = read_history(run)[0]
    assert first == {
        "evaluation": 1,
        "step": 3,
        "epoch": 0.5,
        "loss": 0.75,
        "val_loss": None,
        "seconds": 2.5,
    }


@pytest.mark.parametrize(
    ("over", "positions"),
    [
        ("steps", [3, 6, 7, 9]),
        ("epochs", [0.5, 1, 1.5, 2]),
        ("seconds", [2.5, 4.5, 5, 6]),
    ],
)
def test_the_x_axis_of_a_curve_is_steps_epochs_or_seconds(run, over, positions):
    assert read_curve(run, "loss", over) == (positions, [0.75, 0.5, 0.25, 0.125])


def test_a_curve_skips_evaluations_without_a_number(run):
    assert read_curve(run, "val_loss") == ([6, 9], [1.25, 1])
    assert read_curve(run, "val_loss", "seconds")[0] == [4.5, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is an incomplete run: history.csv is missing"),
        ("", "no evaluation yet"),
        ("step,loss\n", "no evaluation yet"),
        ("step,loss\n1,two\n", "damaged"),
        ("step,loss\n1\n", "damaged"),
        ("step,loss\n1,2,3\n", "damaged"),
        ('step,loss\n1,"2\n', "damaged"),
        (f"step,loss\n1,{'9' * 5000}\n", "damaged"),
        ("step,loss\n2,1\n2,1\n", "damaged: the steps do not increase"),
        ("step,loss\n2,1\n1,1\n", "damaged: the steps do not increase"),
        ("step,loss\n-1,1\n", "damaged: the steps do not increase"),
        ("step,loss\nnan,1\n", "damaged: the steps do not increase"),
    ],
)
def test_a_missing_or_damaged_history_is_an_error(tmp_path, content, message):
    if content is not None:
        (tmp_path / "history.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        read_history(RunFolder(tmp_path))


@pytest.mark.parametrize(
    ("content", "column", "over"),
    [
        ("step,loss\n1,2\n", "val_loss", "steps"),
        ("step,loss\n1,\n", "loss", "steps"),
        ("evaluation,loss\n1,2\n", "loss", "steps"),
        ("step,loss,seconds\n1,2,\n", "loss", "seconds"),
        (f"step,loss\n1,{'9' * 400}\n", "loss", "steps"),
        ("step,loss\n1,nan\n", "loss", "steps"),
    ],
)
def test_a_history_without_these_columns_is_an_error(tmp_path, content, column, over):
    (tmp_path / "history.csv").write_text(content)
    with pytest.raises(InputError, match=f"no numbers in '.*' and '{column}'") as error:
        read_curve(RunFolder(tmp_path), column, over)
    columns = content.split("\n")[0].replace(",", ", ")
    assert str(error.value).endswith(f"Columns: {columns}")
