"""The style of figures: its file, the colors of runs, and the width of a page."""

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STYLE = Path(__file__).with_name("figures.mplstyle")
MAP = "cividis"  # readable for colour-blind people, and in grey
WIDTH = 7.0  # inches: 700 pixels of a page
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe and Ito's
ALARM = "#D55E00"  # their vermilion
GREY = "#767676"  # 4.5 to 1 on white
MARKERS = "os^D"
LINES = ("-", "--", ":", "-.")
_LOCK = threading.RLock()  # the settings of Matplotlib are those of all threads


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorates a function that draws or writes a figure: it does so in the style of
    `figures.mplstyle`, whatever the settings of the user are.

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
