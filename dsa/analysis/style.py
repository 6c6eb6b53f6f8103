"""Matplotlib style, colors and width of figures."""

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STYLE = Path(__file__).with_name("figures.mplstyle")
WIDTH = 7.0  # inches; 700 pixels at the 100 dpi of the style
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe-Ito palette
ALARM = "#D55E00"  # vermilion of the Okabe-Ito palette
GREY = "#767676"  # contrast ratio 4.5 on white
MARKERS = "os^D"
LINES = ("-", "--", ":", "-.")
_LOCK = threading.RLock()  # Matplotlib's rcParams are global


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorates a drawing function to use the style `figures.mplstyle`.

    All settings outside this style have Matplotlib's default values, whatever settings
    the user has. A lock prevents that two threads draw at the same time.

    Args:
        draw: function that draws a figure.

    Returns: the decorated function.

    Example:
        >>> import matplotlib
        >>> in_style(lambda: matplotlib.rcParams["font.size"])()
        9.0
    """

    @functools.wraps(draw)
    def draw_in_style(*args, **kwargs):
        import matplotlib  # slow, and not required for `--help`

        with _LOCK, matplotlib.rc_context(fname=STYLE):
            return draw(*args, **kwargs)

    return draw_in_style
