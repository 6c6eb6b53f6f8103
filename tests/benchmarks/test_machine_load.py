"""The load of a machine, and the memory of processes."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from benchmarks import machine_load

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
    assert 0 <= machine_load.cores_at_work(0.2) <= os.cpu_count()


def test_an_account_that_does_not_move_is_none(account):
    """Some containers show zeros: the load average counts."""
    zeros = CORES.format(work=0, idle=0, waiting=0, stolen=0)
    account(zeros, zeros)
    assert machine_load.cores_at_work(1) == 1.25


def test_an_account_that_cannot_be_understood_is_none(account):
    account("cpu  many 0 0 few 0 0 0 0 0 0\n", "")
    assert machine_load.cores_at_work(1) == 1.25


def test_without_an_account_of_the_cores_the_load_average_counts(account):
    account("", "").unlink()
    assert machine_load.cores_at_work(1) == 1.25


def test_half_of_the_time_on_every_core_is_half_of_the_cores(account):
    """Time that the virtual machine waited for its cores is work of others; time that
    they waited for a disk is not."""
    account(
        CORES.format(work=1000, idle=1000, waiting=0, stolen=0),
        CORES.format(work=1200, idle=1400, waiting=100, stolen=300),
    )
    assert machine_load.cores_at_work(1) == 3


def test_a_loaded_machine_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(machine_load, "cores_at_work", lambda: 1.5)
    monkeypatch.setattr(machine_load, "PATIENCE", 0)
    with pytest.raises(SystemExit) as stopped:
        machine_load.refuse_load()
    assert stopped.value.code == 2
    assert "1.50 cores are busy" in capsys.readouterr().err
    assert machine_load.refuse_load(anyway=True) == 1.5


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
        held = machine_load.measure_memory(process.pid)
        alone = children[0].memory_info().rss
        for one in (*children, process):
            one.kill()
    assert held > alone > 64 << 20
    assert machine_load.measure_memory(process.pid) == 0
