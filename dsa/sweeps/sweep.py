"""A grid of runs from its plans to its table and its figure."""

import logging

from dsa.analysis.figure_files import FigureFiles
from dsa.jobs.execute import JobsFailed
from dsa.sweeps.grid_results import GridResults
from dsa.sweeps.run_jobs import complete_runs
from dsa.system.atomic_files import write_atomically

TABLE, NUMBERS, CURVES = "sweep.md", "sweep.csv", "curves"
log = logging.getLogger(__name__)


def sweep(plans, folder, root, executor, out):
    """Train the runs of a grid, and write what they have reached on dev.

    Args:
        plans: of `dsa.sweeps.grid.plan_grid`.
        folder: where runs are looked for, and where new ones go.
        root: the data root.
        executor: see `dsa.jobs`.
        out: the `OutputFolder` of the table and the figure.

    Returns: the table as Markdown; `None` if the executor only shows the jobs.

    Raises: `JobsFailed`; the files then have what the other runs have reached.
    """
    files = FigureFiles()
    names = (TABLE, NUMBERS, files.name_file(CURVES))
    out.refuse(names)
    try:
        if not complete_runs(plans, ("dev",), folder, root, executor):
            return None
    except JobsFailed:
        _write(GridResults(plans, folder, root), out, names, files)
        raise
    return _write(GridResults(plans, folder, root), out, names, files)


def _write(results, out, names, files):
    """Write the files; returns the table."""
    table = results.as_markdown()
    if results.best is None:
        return table
    out.open(names)
    write_atomically(out.path / TABLE, table + "\n")
    write_atomically(out.path / NUMBERS, results.as_csv())
    figure = results.draw()
    if figure is not None:
        files.write(figure, out.path, CURVES)
    written = names if figure is not None else (TABLE, NUMBERS)
    log.info("written to %s: %s", out.path, ", ".join(written))
    return table
