"""Errors that commands print as a single line, without a traceback, and exit codes."""

BROKEN_PIPE_CODE = 128 + 13  # exit code after the signal SIGPIPE
INTERRUPTED_CODE = 128 + 2  # exit code after the signal SIGINT (Ctrl-C)


class InputError(ValueError):
    """Raised for an invalid file, setting or argument given by the user.

    The message contains the name of the file, setting or argument. Commands print the
    message and exit with code 2.

    Attributes:
        exit_code: exit code of a command that raises this error.
    """

    exit_code: int = 2

    def _render_traceback_(self) -> list[str]:
        """Returns the lines that IPython shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class InferenceError(InputError):
    """Raised if a model is not readable or fails, for any input rows."""


class BusyError(InputError):
    """Raised if another process has locked a folder.

    Commands exit with code 75, which `sysexits.h` defines as a temporary failure. The
    same command can succeed later.
    """

    exit_code = 75
