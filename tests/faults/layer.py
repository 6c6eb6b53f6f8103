"""The layer of `layer.c`, seen from Python: which call below a folder fails.

The layer must be there before a process begins: `preload` compiles it and begins the
process again with it.
"""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VARIABLE = "LD_PRELOAD"
NAME = "faults.so"
KILL = -1  # instead of an errno
FAULTS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "kill": KILL}


def find_compiler():
    """The C compiler; `None` where there is none, or this is no Linux."""
    return shutil.which("cc") if sys.platform == "linux" else None


def preload(line):
    """Begins this process again with the layer, unless it has it.

    Args:
        line: the program and its arguments.
    """
    path = Path(os.environ.get(VARIABLE, ""))
    if path.name == NAME:
        shutil.rmtree(path.parent)  # it is loaded
        del os.environ[VARIABLE]  # not for other programs
        return
    compiler = find_compiler()
    if compiler is None:
        raise SystemExit("the faults need Linux and a C compiler, `cc`")
    path = Path(tempfile.mkdtemp(prefix="faults-"), NAME)
    source = Path(__file__).with_name("layer.c")
    options = ["-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"]
    subprocess.run([compiler, *options], check=True)
    os.execve(line[0], line, {**os.environ, VARIABLE: str(path)})


def watch(folder, report, moment=0, fault=0, sockets=False):
    """From now on calls below a folder are counted, and one of them fails.

    Args:
        report: a descriptor that gets the name of the call that fails.
        moment: its number, from 1 on; 0 for none.
        fault: one of the values of `FAULTS`.
        sockets: whether what is sent over a network is counted too.
    """
    loaded = ctypes.CDLL(None)
    loaded.faults_arm(ctypes.c_long(moment), fault)
    loaded.faults_watch(os.fsencode(os.path.realpath(folder)), int(sockets), report)


def count_calls():
    """How many calls have been counted."""
    loaded = ctypes.CDLL(None)
    loaded.faults_count.restype = ctypes.c_long
    return loaded.faults_count()
