"""How much each client may ask a second."""

import math

MOST_ADDRESSES = 10_000


class Rates:
    """How many rows each address may ask a second: it saves up what it does not use,
    up to one second's rows, or one full request's.

    Args:
        bounds: the `Bounds`.
    """

    def __init__(self, bounds):
        self.rate = bounds.rate
        self.most = max(bounds.rate, bounds.request_rows)
        self._saved = {}  # address -> rows and when, the one that asked last is last

    def take(self, address, rows, now):
        """Take rows for an address.

        Args:
            address: a text.
            rows: how many.
            now: seconds, of a clock that does not go back.

        Returns: 0, or the whole seconds to wait, and then nothing is taken.
        """
        saved, when = self._saved.pop(address, (self.most, now))
        saved = min(self.most, saved + (now - when) * self.rate)
        enough = saved >= rows
        self._saved[address] = (saved - rows if enough else saved, now)
        if len(self._saved) > MOST_ADDRESSES:
            self._saved.pop(next(iter(self._saved)))
        return 0 if enough else max(1, math.ceil((rows - saved) / self.rate))
