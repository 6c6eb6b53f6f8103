"""A notebook is executed with a kernel."""

import os
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.slow

SETTINGS = {
    "training.steps": 20,
    "training.evaluate_every": 10,
    "model": {"name": "cbow"},
}
CELLS = (
    f"import dsa\nrun = dsa.train('mini/dsa', 'run', {SETTINGS})",
    "dsa.evaluate(run)",
    "dsa.curves(run)",
    "dsa.load('nothing')",
)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The executed cells."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    folder, root = (
        tmp_path_factory.mktemp("notebook"),
        pathlib.Path(__file__).parents[2],
    )
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    client = nbclient.NotebookClient(
        notebook,
        timeout=500,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    client.execute(env=environment)
    return notebook.cells


def join_text(cell, name):
    return "".join(part.text for part in cell.outputs if part.get("name") == name)


def test_a_training_shows_its_evaluations_and_a_bar(cells):
    lines = join_text(cells[0], "stdout")
    assert "step 10, epoch" in lines and "dev accuracy" in lines
    assert "rows/s" in join_text(cells[0], "stderr")


def test_results_are_tables(cells):
    for cell in cells[1:3]:
        data = cell.outputs[-1].data
        assert "<table>" in data["text/html"] and "accuracy" in data["text/plain"]


def test_a_mistake_is_one_line(cells):
    (error,) = cells[3].outputs
    assert error.traceback[0].startswith("InputError: nothing: no such run folder")
    assert len(error.traceback) == 1
