"""Errors that commands show as one line instead of a traceback."""


class InputError(ValueError):
    """Error for an invalid file, setting or argument of the user.

    The message contains the name of the file, setting or argument. Commands print the
    message and exit with code 2; in Python, the error is a `ValueError`.

    Attributes:
        exit_code: exit code of the command.
    """

    exit_code: int = 2

    def _render_traceback_(self) -> list[str]:
        """Returns the lines that IPython shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class BusyError(InputError):
    """Error for a folder that is locked by another process.

    The same command can succeed later. Commands exit with code 75, which `sysexits.h`
    defines as a temporary failure.
    """

    exit_code = 75
