import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks import matrix_product, measuring, table

pytestmark = pytest.mark.keras  # run on JAX in CI too

CORES = "cpu  {work} 0 0 {idle} {waiting} 0 0 {stolen} 0 0\n"


@pytest.fixture
def account(tmp_path, monkeypatch):
    """Gives `psutil` accounts of the cores: one before it sleeps, one after."""
    if not psutil.LINUX:
        pytest.skip("only Linux keeps its account of the cores in a file")
    file = tmp_path / "stat"

    def use(before, after):
        file.write_text(before)
        monkeypatch.setattr(time, "sleep", lambda seconds: file.write_text(after))
        monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
        monkeypatch.setattr(psutil, "getloadavg", lambda: (1.25, 0, 0))
        monkeypatch.setattr(psutil, "cpu_count", lambda: 6)
        return file

    return use


def test_cores_at_work_are_some_of_those_there_are():
    assert 0 <= measuring.cores_at_work(0.2) <= os.cpu_count()


def test_an_account_that_does_not_move_is_none(account):
    """Some containers show zeros: the load average counts."""
    zeros = CORES.format(work=0, idle=0, waiting=0, stolen=0)
    account(zeros, zeros)
    assert measuring.cores_at_work(1) == 1.25


def test_an_account_that_cannot_be_understood_is_none(account):
    account("cpu  many 0 0 few 0 0 0 0 0 0\n", "")
    assert measuring.cores_at_work(1) == 1.25


def test_without_an_account_of_the_cores_the_load_average_counts(account):
    account("", "").unlink()
    assert measuring.cores_at_work(1) == 1.25


def test_half_of_the_time_on_every_core_is_half_of_the_cores(account):
    """Time that the virtual machine waited for its cores is work of others; time that
    they waited for a disk is not."""
    account(
        CORES.format(work=1000, idle=1000, waiting=0, stolen=0),
        CORES.format(work=1200, idle=1400, waiting=100, stolen=300),
    )
    assert measuring.cores_at_work(1) == 3


def test_a_loaded_machine_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(measuring, "cores_at_work", lambda: 1.5)
    monkeypatch.setattr(measuring, "PATIENCE", 0)
    with pytest.raises(SystemExit) as stopped:
        measuring.refuse_load()
    assert stopped.value.code == 2
    assert "1.50 cores are at work" in capsys.readouterr().err
    assert measuring.refuse_load(anyway=True) == 1.5


def test_memory_is_that_of_a_process_and_of_all_that_it_started():
    child = "import time; held = bytearray(64 << 20); print('held', flush=True); "
    child += "time.sleep(60)"
    parent = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        children = psutil.Process(process.pid).children()
        held = measuring.measure_memory(process.pid)
        alone = children[0].memory_info().rss
        for one in (*children, process):
            one.kill()
    assert held > alone > 64 << 20
    assert measuring.measure_memory(process.pid) == 0


def test_sides_that_stay_take_turns(capsys):
    side = """if True:
        import json, sys, time
        print(json.dumps({"ran_on": {"corpus": "none"}}), flush=True)
        for line in sys.stdin:
            print(json.dumps({"seconds": time.monotonic()}), flush=True)
    """
    commands = dict.fromkeys(("ours", "theirs"), [sys.executable, "-c", side])
    figures = measuring.run_alternately(commands, 3)
    assert figures["ours"]["ran_on"] == {"corpus": "none"}
    times = zip(*(figures[name]["seconds"] for name in commands), strict=True)
    times = [seconds for turn in times for seconds in turn]
    assert len(times) == 6 and times == sorted(times)
    assert "round 3 of 3, theirs: seconds" in capsys.readouterr().out


def test_a_side_that_ends_too_early_is_named():
    with pytest.raises(SystemExit, match="-c pass: it ended too early"):
        measuring.run_alternately({"ours": [sys.executable, "-c", "pass"]}, 1)


def test_matrix_products_are_rated_on_every_backend(monkeypatch):
    monkeypatch.setattr(matrix_product, "SIZE", 64)
    monkeypatch.setattr(matrix_product, "SIZE_ON_GPU", 64)
    assert 0 < matrix_product.matrix_product_rate() < 1e15


def test_a_table_names_what_was_measured_and_from_where_to_where_it_went():
    spread = measuring.describe_spread([0.25, 0.5, 0.375])
    record = {
        "command": "python benchmarks/plain_step.py --rounds=3 --model esim --out a",
        "figures": {"ours": {"padding_share": spread}},
    }
    name, side, *cells = next(table.make_rows(record))
    assert (name, side) == ("plain_step --model esim", "ours")
    assert cells[list(table.COLUMNS).index("padding")] == "37.5% (25.0% to 50.0%)"
    assert cells.count("-") == len(table.COLUMNS) - 1


def test_the_committed_table_is_that_of_the_committed_figures(monkeypatch, capsys):
    """As `make benchmark` makes it."""
    folder = Path("results/benchmarks")
    patterns = "train_step*.json", "plain_step*.json", "encoding.json"
    files = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    assert len(files) == 7
    monkeypatch.setattr(sys, "argv", ["table.py", *map(str, files)])
    table.main()
    with open("results/benchmarks/TABLE.md", encoding="utf-8") as committed:
        assert capsys.readouterr().out == committed.read()
