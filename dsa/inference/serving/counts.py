"""What the service has done, as text for Prometheus."""

import bisect
import collections
import threading

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Histogram:
    """How often values were at most so large.

    Args:
        bounds: numbers that rise.
    """

    def __init__(self, bounds):
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0

    def add(self, value):
        self.counts[bisect.bisect_left(self.bounds, value)] += 1
        self.sum += value

    def write(self, name, labels=""):
        """Yields lines.

        Args:
            name: of the histogram.
            labels: of all lines, such as `path="/predict"`.
        """
        total, comma = 0, "," if labels else ""
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            total += count
            yield f'{name}_bucket{{{labels}{comma}le="{bound}"}} {total}'
        braces = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{braces} {self.sum:.9g}"
        yield f"{name}_count{braces} {total}"


class Counts:
    """Counts of requests, rows and batches; several threads may add to them.

    Example:
        >>> counts = Counts()
        >>> counts.add_request("/predict", 200, 0.004, 3)
        >>> counts.add_batch(3)
        >>> [line for line in counts.write(queue_rows=0) if line[0] != "#"][:2]
        ['dsa_requests_total{path="/predict",status="200"} 1', \
'dsa_rows_total{path="/predict"} 3']
    """

    def __init__(self):
        self._guard = threading.Lock()
        self._requests = collections.Counter()  # by path and status
        self._rows = collections.Counter()  # by path
        self._seconds = {}  # path -> histogram
        self._batches = Histogram(ROWS)

    def add_request(self, path, status, seconds, rows):
        """Count a request that was answered.

        Args:
            path: one of few.
            status: of the answer.
            seconds: from the request to its answer.
            rows: that were answered.
        """
        with self._guard:
            self._requests[path, status] += 1
            self._rows[path] += rows
            self._seconds.setdefault(path, Histogram(SECONDS)).add(seconds)

    def add_batch(self, rows):
        """Count rows that were computed together."""
        with self._guard:
            self._batches.add(rows)

    def write(self, queue_rows):
        """Lines of Prometheus's text format: a list.

        Args:
            queue_rows: rows that wait now.
        """
        with self._guard:
            return [
                *_head("dsa_requests_total", "counter", "requests answered"),
                *(
                    f'dsa_requests_total{{path="{path}",status="{status}"}} {count}'
                    for (path, status), count in sorted(self._requests.items())
                ),
                *_head("dsa_rows_total", "counter", "rows answered"),
                *(
                    f'dsa_rows_total{{path="{path}"}} {count}'
                    for path, count in sorted(self._rows.items())
                ),
                *_head("dsa_request_seconds", "histogram", "from request to answer"),
                *(
                    line
                    for path, histogram in sorted(self._seconds.items())
                    for line in histogram.write("dsa_request_seconds", f'path="{path}"')
                ),
                *_head("dsa_batch_rows", "histogram", "rows computed together"),
                *self._batches.write("dsa_batch_rows"),
                *_head("dsa_queue_rows", "gauge", "rows that wait"),
                f"dsa_queue_rows {queue_rows}",
            ]


def _head(name, kind, what):
    return f"# HELP {name} {what}", f"# TYPE {name} {kind}"
