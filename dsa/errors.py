"""Errors that commands show as one line instead of a traceback."""


class InputError(ValueError):
    """An invalid file, setting or argument of the user, named in the message.

    Commands print the message and exit with 2; in Python it is a `ValueError`.

    Attributes:
        exit_code: exit code of the command.
    """

    exit_code: int = 2

    def _render_traceback_(self) -> list[str]:
        """Returns the lines that IPython shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class BusyError(InputError):
    """Another process holds a folder; the same command can succeed later.

    Commands exit with 75, a temporary failure in `sysexits.h`.
    """

    exit_code = 75
