import os

import pytest

from benchmarks import matrix_product, measuring, table


def test_cores_at_work_are_some_of_those_there_are():
    assert 0 <= measuring.cores_at_work(0.2) <= os.cpu_count()


@pytest.mark.parametrize("ticks", [(0, 0), ValueError, OSError])
def test_without_an_account_of_the_cores_the_load_average_counts(monkeypatch, ticks):
    def account():
        if isinstance(ticks, tuple):
            return ticks
        raise ticks

    monkeypatch.setattr(measuring, "_core_ticks", account)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.25, 0, 0))
    assert measuring.cores_at_work(0) == 1.25


def test_half_of_the_time_on_every_core_is_half_of_the_cores(monkeypatch):
    accounts = iter([(10, 10), (15, 15)])
    monkeypatch.setattr(measuring, "_core_ticks", lambda: next(accounts))
    assert measuring.cores_at_work(0) == os.cpu_count() / 2


def test_a_loaded_machine_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(measuring, "cores_at_work", lambda: 1.5)
    monkeypatch.setattr(measuring, "PATIENCE", 0)
    with pytest.raises(SystemExit) as stopped:
        measuring.refuse_load()
    assert stopped.value.code == 2
    assert "1.50 cores are at work" in capsys.readouterr().err
    assert measuring.refuse_load(anyway=True) == 1.5


def test_matrix_products_are_rated_on_every_backend(monkeypatch):
    monkeypatch.setattr(matrix_product, "SIZE", 64)
    monkeypatch.setattr(matrix_product, "SIZE_ON_GPU", 64)
    assert 0 < matrix_product.matrix_product_rate() < 1e15


def test_a_table_names_what_was_measured_and_from_where_to_where_it_went():
    record = {
        "command": "python benchmarks/plain_step.py --rounds=3 --model esim --out a",
        "figures": {"ours": {"padding_share": measuring._spread([0.25, 0.5, 0.375])}},
    }
    name, side, *cells = next(table.rows(record))
    assert (name, side) == ("plain_step --model esim", "ours")
    assert cells[list(table.COLUMNS).index("padding")] == "37.5% (25.0% to 50.0%)"
    assert cells.count("-") == len(table.COLUMNS) - 1
