"""What tables say of numbers of rows that a run has known."""


def warn_of_known_rows(chosen=(), learned=()):
    """A line of Markdown for each reason why numbers are too good.

    Args:
        chosen: names of the rows whose checkpoints were chosen on test.
        learned: names of the rows that have learned dev.
    """
    reasons = {
        "Checkpoints chosen on the test rows": chosen,
        "Trained on the rows of dev": learned,
    }
    return [
        f"**{reason} themselves: {', '.join(dict.fromkeys(names))}. "
        "Their numbers are too good.**"
        for reason, names in reasons.items()
        if names
    ]
