"""Errors that commands show as one line instead of a traceback."""


class InputError(ValueError):
    """A file, a setting or an argument of the user's is wrong; the message says which.

    Commands print the message and exit with 2; from Python it is a `ValueError`.

    Attributes:
        exit_code: of the command.
    """

    exit_code: int = 2


class BusyError(InputError):
    """Another process has what is needed, or has ended too early; the same can be right
    later.

    Commands exit with 75, which `sysexits.h` calls a temporary failure.
    """

    exit_code = 75
