"""A number of several seeds in a cell of a table."""

import statistics


def write_mean_and_range(numbers, form):
    """The mean, then the range where the numbers differ.

    Args:
        numbers: one of each seed; none give a dash.
        form: how each is written, a format such as ".2f".

    Example:
        >>> write_mean_and_range([73.41, 74.72, 75.26], ".2f")
        '74.46 (73.41-75.26)'
        >>> write_mean_and_range([], ".2f")
        '-'
    """
    if not numbers:
        return "-"
    text = format(statistics.mean(numbers), form)
    least, most = min(numbers), max(numbers)
    return text if least == most else f"{text} ({least:{form}}-{most:{form}})"
