"""How many threads a job computes with."""

import os

VARIABLES = (
    "OMP_NUM_THREADS",  # PyTorch, oneDNN, and most linear algebra
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "NPROC",  # XLA's thread pool of a CPU: JAX
    "DSA_PROCESSES",
)


def count_cores():
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limit_threads(cores):
    """The environment variables that make a process compute with so many threads.
    Those that are set already stay."""
    return {name: str(cores) for name in VARIABLES if name not in os.environ}
