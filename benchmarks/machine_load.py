"""Load of the machine, and memory of processes."""

import sys
import time

import psutil

LOAD_LIMIT = 0.5  # busy cores before the benchmark, mean over LOAD_SECONDS
LOAD_SECONDS = 5
PATIENCE = 60  # maximum seconds to wait until the machine is idle


def refuse_load(anyway=False):
    """Exits with code 2 if other processes use the machine for more than `PATIENCE`.

    Args:
        anyway: whether to measure on a loaded machine too, without waiting.

    Returns: the number of cores used by other processes.
    """
    deadline = time.monotonic() + (0 if anyway else PATIENCE)
    load = cores_at_work()
    while load > LOAD_LIMIT and time.monotonic() <= deadline:
        load = cores_at_work()
    if load > LOAD_LIMIT and not anyway:
        print(
            f"The machine is loaded: {load:.2f} cores are busy, the limit is "
            f"{LOAD_LIMIT}. Wait, or measure with --anyway.",
            file=sys.stderr,
        )
        raise SystemExit(2)
    return load


def cores_at_work(seconds=LOAD_SECONDS):
    """Returns the mean number of busy cores over some seconds.

    Stolen time of a virtual machine counts as load. On systems without CPU times, the
    load average is returned.
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
        once: whether to count shared pages only once (Linux). Takes about 30 ms per GB.
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
