"""Text files as they are read: UTF-8, regular, with errors that name the file."""

import json

from dsa.errors import InputError
from dsa.system.regular_files import open_regular


def read_text(path):
    """The text of a UTF-8 file, its line ends as they are.

    Raises: `InputError` for what is no UTF-8 and no regular file, `OSError` as `open`.
    """
    with open_regular(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8: {error.reason}") from error


def read_json_object(path):
    """The dictionary that a JSON file holds.

    Raises: as `read_text`, and `InputError` for what is no JSON object.
    """
    try:
        content = json.loads(read_text(path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a JSON object")
    return content
