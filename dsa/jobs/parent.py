"""A process that ends when the one that started it ends, however that happens."""

import ctypes
import os
import signal
import sys

VARIABLE = "DSA_PARENT"  # the number of the process that must live
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """From now on the kernel ends this process when its parent ends, if `DSA_PARENT`
    names the parent. Other systems than Linux have no such call: nothing happens."""
    parent = os.environ.pop(VARIABLE, "")  # not for children of this process
    if not parent or sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != parent:  # it has ended before that call
        os.kill(os.getpid(), signal.SIGKILL)
