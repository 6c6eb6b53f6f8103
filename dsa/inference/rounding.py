"""Rounds sizes of user input, so that few shapes are compiled."""


def round_up_to_power_of_two(number: int, minimum: int = 1) -> int:
    """Returns the smallest power of two that is at least `number`.

    Args:
        number: a positive integer.
        minimum: smallest result.

    Example:
        >>> [round_up_to_power_of_two(number, minimum=4) for number in (1, 4, 5, 300)]
        [4, 4, 8, 512]
    """
    return max(minimum, 1 << (int(number) - 1).bit_length())
