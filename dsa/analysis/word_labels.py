"""Words as labels of a figure."""

from dsa.errors import InputError
from dsa.system.terminal import escape_controls

MOST_WORDS = 120  # more labels cannot be read
LONGEST_LABEL = 20
GREY = "#999999"


def check_readable_length(tokens):
    if len(tokens) > MOST_WORDS:
        raise InputError(
            f"a figure holds at most {MOST_WORDS} words that can be read, this "
            f"sentence has {len(tokens):,} tokens"
        )


def label_words(axis, tokens, unknown=()):
    """Label an axis of a figure with words, those that a run does not know in grey."""
    size = 8 if len(tokens) <= 30 else 6 if len(tokens) <= 70 else 4
    axis.set_ticks(range(len(tokens)), [_shorten(token) for token in tokens])
    for tick, token in zip(axis.get_major_ticks(), tokens, strict=True):
        label = tick.label1  # also of a tick that does not show it yet
        label.set_fontsize(size)
        label.set_parse_math(False)  # a `$` is a `$`
        if token in unknown:
            label.set_color(GREY)
        if axis.axis_name == "x":
            label.set_rotation(90)


def say_what_grey_words_are(figure, tokens, unknown):
    """Say it below a figure that has such words."""
    if set(tokens) & set(unknown):
        figure.supxlabel(
            "grey words are unknown to the run: all read as one word",
            fontsize=8,
            color=GREY,
        )


def _shorten(token):
    token = escape_controls(token)
    return token if len(token) <= LONGEST_LABEL else f"{token[:LONGEST_LABEL]}…"
