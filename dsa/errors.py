"""The error that scripts show as one line instead of a traceback."""


class InputError(ValueError):
    """A file, a setting or an argument of the user's is wrong; the message says which.

    Scripts print the message and exit with 2; from Python it is a `ValueError`.
    """
