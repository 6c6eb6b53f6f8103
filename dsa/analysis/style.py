"""Style of figures: style file, colors of runs, width of a page."""

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STYLE = Path(__file__).with_name("figures.mplstyle")
MAP = "cividis"  # readable for colour-blind people and in grey
WIDTH = 7.0  # inches: 700 pixels of a page
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe and Ito's
ALARM = "#D55E00"  # their vermilion
GREY = "#767676"  # 4.5 to 1 on white
MARKERS = "os^D"
LINES = ("-", "--", ":", "-.")
_LOCK = threading.RLock()  # all threads share the settings of Matplotlib


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorates a function that draws or writes a figure.

    The figure has the style of `figures.mplstyle` instead of the user's settings.

    Example:
        >>> import matplotlib
        >>> in_style(lambda: matplotlib.rcParams["font.size"])()
        9.0
    """

    @functools.wraps(draw)
    def draw_in_style(*arguments, **options):
        import matplotlib  # would slow down every `--help`

        with _LOCK, matplotlib.rc_context(fname=STYLE):
            return draw(*arguments, **options)

    return draw_in_style
