"""The error that scripts show as one line instead of a traceback."""


class InputError(ValueError):
    """A file, a setting or an argument of the user's is wrong; the message says which.

    Scripts print the message and exit with 2; from Python it is a `ValueError`.

    Attributes:
        exit_code: of scripts.
    """

    exit_code = 2


class BusyError(InputError):
    """Another process has what is needed, or has ended too early; the same can be right
    later.

    Scripts exit with 75, which `sysexits.h` calls a temporary failure.
    """

    exit_code = 75
