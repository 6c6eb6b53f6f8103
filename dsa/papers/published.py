"""The numbers of the four papers' tables, as data (`paper_results.csv`)."""

import csv
from importlib import resources

DSA = "DSA (Im & Cho 2017)"
DISAN = "DiSAN (Shen et al. 2018)"
AESIM = "aESIM (Li et al. 2019)"


def paper_rows(paper, table):
    """The rows of a paper's table, in its order.

    Returns: a list of dictionaries of texts: `dataset`, `split`, `model`, `metric`,
        `value` in the paper's unit, `params_millions`, `seconds_per_epoch`; a text is
        empty where the paper gives no number.

    Raises: `KeyError` for a table without any row.
    """
    text = (resources.files("dsa.papers") / "paper_results.csv").read_text(
        encoding="utf-8"
    )
    rows = [
        row
        for row in csv.DictReader(text.splitlines())
        if (row["paper"], row["table"]) == (paper, table)
    ]
    if not rows:
        raise KeyError((paper, table))
    return rows


def paper_value(model, split="test", paper=DSA, table="Table 1"):
    """One number of a paper's table, as text in the paper's unit."""
    for row in paper_rows(paper, table):
        if (row["model"], row["split"]) == (model, split):
            return row["value"]
    raise KeyError((paper, table, model, split))
