"""What the machine is doing: the cores at work, and the memory of processes."""

import sys
import time

import psutil

LOAD_LIMIT = 0.5  # cores at work before the benchmark, mean of LOAD_SECONDS
LOAD_SECONDS = 5
PATIENCE = 60  # seconds to wait while the machine is loaded


def refuse_load(anyway=False):
    """Stop with exit code 2 if others use the machine.

    Returns: how many cores they use.
    """
    patient_until = time.monotonic() + (0 if anyway else PATIENCE)
    while (load := cores_at_work()) > LOAD_LIMIT:
        if time.monotonic() > patient_until:
            break
    if load > LOAD_LIMIT and not anyway:
        print(
            f"The machine is loaded: {load:.2f} cores are at work, the limit is "
            f"{LOAD_LIMIT}. Wait, or measure --anyway.",
            file=sys.stderr,
        )
        raise SystemExit(2)
    return load


def cores_at_work(seconds=LOAD_SECONDS):
    """How many cores work, the mean over so many seconds.

    The time that a virtual machine waits for its cores counts as work of others. Where
    the system keeps no account of its cores, the load average is given.
    """
    try:
        before = psutil.cpu_times()
        share = psutil.cpu_percent(interval=seconds) / 100
        if psutil.cpu_times() != before:
            return psutil.cpu_count() * share
    except (OSError, ValueError):
        pass
    return psutil.getloadavg()[0]


def measure_memory(process_id, once=False):
    """Resident bytes of a process and of all processes that it started.

    Args:
        process_id: of the process.
        once: whether what they share counts once (Linux). The system takes about 30 ms
            for each GB, so do not ask often.
    """
    try:
        root = psutil.Process(process_id)
        processes = [root, *root.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for process in processes:
        try:
            memory = process.memory_full_info() if once else process.memory_info()
            total += getattr(memory, "pss", memory.rss)
        except psutil.Error:  # it has ended
            continue
    return total
