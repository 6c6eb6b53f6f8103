"""Style of figures: Matplotlib style file, colors and page width."""

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STYLE = Path(__file__).with_name("figures.mplstyle")
WIDTH = 7.0  # inches; 700 pixels on a page
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # palette of Okabe and Ito
ALARM = "#D55E00"  # vermilion of the same palette
GREY = "#767676"  # contrast ratio 4.5 on white
MARKERS = "os^D"
LINES = ("-", "--", ":", "-.")
_LOCK = threading.RLock()  # Matplotlib's rcParams are global


def in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorator that applies `figures.mplstyle` while a function draws a figure.

    The style replaces the user's Matplotlib settings.

    Example:
        >>> import matplotlib
        >>> in_style(lambda: matplotlib.rcParams["font.size"])()
        9.0
    """

    @functools.wraps(draw)
    def draw_in_style(*arguments, **options):
        import matplotlib  # slow to import; keeps `--help` fast

        with _LOCK, matplotlib.rc_context(fname=STYLE):
            return draw(*arguments, **options)

    return draw_in_style
