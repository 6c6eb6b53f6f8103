"""Load of the machine, and memory of processes."""

import sys
import time

import psutil

LOAD_LIMIT = 0.5  # cores at work before the benchmark, mean of LOAD_SECONDS
LOAD_SECONDS = 5
PATIENCE = 60  # seconds to wait while the machine is loaded


def refuse_load(anyway=False):
    """Exits with code 2 if other processes use the machine.

    Returns: the number of cores that they use.
    """
    patient_until = time.monotonic() + (0 if anyway else PATIENCE)
    while (load := cores_at_work()) > LOAD_LIMIT:
        if time.monotonic() > patient_until:
            break
    if load > LOAD_LIMIT and not anyway:
        print(
            f"The machine is loaded: {load:.2f} cores are busy, the limit is "
            f"{LOAD_LIMIT}. Wait, or measure --anyway.",
            file=sys.stderr,
        )
        raise SystemExit(2)
    return load


def cores_at_work(seconds=LOAD_SECONDS):
    """Returns the mean number of busy cores over some seconds.

    Stolen time of a virtual machine counts as load. Returns the load average if the
    system has no CPU times.
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
    """Returns the resident bytes of a process and its descendants.

    Args:
        process_id: id of the process.
        once: whether shared pages count once (Linux). Takes about 30 ms per GB.
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
        except psutil.Error:  # the process has ended
            continue
    return total
