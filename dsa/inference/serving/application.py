"""The service as an ASGI application; needs the extra `serve`."""

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import prometheus_client
from prometheus_client import Counter, Gauge, Histogram
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dsa.errors import InputError
from dsa.inference.serving.batch_queue import BatchQueue, QueueFull
from dsa.inference.serving.bounded_connection import RETRY_SECONDS
from dsa.inference.serving.bounds import Bounds, Rates
from dsa.inference.serving.questions import BODIES, TooLarge, read_question
from dsa.inference.serving.server import LocalOnly
from dsa.version import __version__

if TYPE_CHECKING:  # with Keras, after the socket is opened
    from dsa.inference.serving.model_answers import ModelAnswers

BODY_SECONDS = 10  # to send a body
MOST_DISCARDED = 8  # bodies: of a longer one the rest is not read
ALONE = ("explain",)  # takes far longer than a row of the others
CLOSE = {"Connection": "close"}  # does not wait for the rest of a body
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # of histograms
ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
LATER = {"Retry-After": f"{RETRY_SECONDS}"}
REFUSAL_SECONDS = 0.5  # until a full queue is told: who asks again at once costs little
log = logging.getLogger(__name__)


class SlowBody(InputError):
    """A client does not send what it announced."""


# status and headers of each error's answer; the first that fits
ANSWERS = (
    (SlowBody, 408, CLOSE),
    (TooLarge, 413, CLOSE),
    (QueueFull, 503, LATER),
    (InputError, 400, {}),
)


class Metrics:
    """Counts requests, rows and batches for Prometheus, in any thread;
    `count_waiting()` are the rows that wait now."""

    def __init__(self, count_waiting: Callable[[], int]):
        prometheus_client.disable_created_metrics()
        self.registry = prometheus_client.CollectorRegistry()
        here: Any = {"registry": self.registry}
        paths = ["path"]
        self.requests = Counter(
            "dsa_requests", "requests answered", ["path", "status"], **here
        )
        self.rows = Counter("dsa_rows", "rows answered", paths, **here)
        self.seconds = Histogram(
            "dsa_request_seconds", "until the answer", paths, buckets=SECONDS, **here
        )
        self.batches = Histogram(
            "dsa_batch_rows", "rows computed together", buckets=ROWS, **here
        )
        waiting = Gauge("dsa_queue_rows", "rows that wait", **here)
        waiting.set_function(count_waiting)

    def add_request(self, path: str, status: int, seconds: float, rows: int) -> None:
        """Counts a request to a path, the status, time and rows of its answer."""
        self.requests.labels(path, status).inc()
        self.rows.labels(path).inc(rows)
        self.seconds.labels(path).observe(seconds)


class Service:
    """What the paths of the service do. Only one thread calls the `ModelAnswers`."""

    def __init__(self, answers: "ModelAnswers", bounds: Bounds):
        self.answers = answers
        self.bounds = bounds
        self.metrics = Metrics(lambda: self.queue.rows)
        self.rates = Rates(bounds)
        self.queue = BatchQueue(
            answers, bounds, self.metrics.batches.observe, ALONE, _count_characters
        )

    def build_application(self, names: Collection[str]) -> LocalOnly:
        """Builds the ASGI application; `names`: hosts that requests may name."""
        routes = [
            Route(f"/{kind}", functools.partial(self.answer, kind), methods=["POST"])
            for kind in BODIES
        ]
        routes.append(Route("/health", self.show_health))
        routes.append(Route("/metrics", self.show_metrics))
        handlers = {HTTPException: self.answer_unknown_path}
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False
        return LocalOnly(app, names)

    async def answer(self, kind: str, request: Request) -> Response:
        """Answers a request for a kind of answers, and counts it."""
        began = time.perf_counter()
        response, rows = await self._answer(kind, request)
        seconds = time.perf_counter() - began
        self.metrics.add_request(f"/{kind}", response.status_code, seconds, rows)
        return response

    async def _answer(self, kind, request):
        """The response to a request, and the number of rows that it answers."""
        try:
            self.answers.check_kind(kind)
            self.queue.check_room()
            body = await self._read_body(request)
            inputs = self.answers.task.inputs
            rows = read_question(kind, body, inputs, self.bounds)
            address = request.scope["client"][0]
            if seconds := self.rates.take(address, len(rows), time.monotonic()):
                headers = {"Retry-After": str(seconds)}
                return _refuse(429, "too many rows per second", headers), 0
            texts = await asyncio.wrap_future(self.queue.submit(kind, rows))
        except InputError as error:
            if isinstance(error, QueueFull) and self.queue.is_open:
                await asyncio.sleep(REFUSAL_SECONDS)
            status, headers = next(
                how for kind, *how in ANSWERS if isinstance(error, kind)
            )
            return _refuse(status, error, headers), 0
        except ClientDisconnect:
            return Response(status_code=400), 0  # is read by no one
        except Exception:
            log.exception("/%s failed", kind)
            return _refuse(500, "the model failed, its log says why"), 0
        content = f'{{"answers": [{", ".join(texts)}]}}\n'
        return Response(content, media_type="application/json"), len(rows)

    async def _read_body(self, request):
        """Returns the body of a request, within its bound.

        Raises: `TooLarge`, `SlowBody`, `ClientDisconnect`.
        """
        chunks, size = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size <= self.bounds.body_bytes:
                        chunks.append(chunk)
                    elif size > MOST_DISCARDED * self.bounds.body_bytes:
                        break  # a client that is still sending may not see the answer
        except TimeoutError as error:
            raise SlowBody(f"no whole body within {BODY_SECONDS} seconds") from error
        if size > self.bounds.body_bytes:
            raise TooLarge(f"the body has more than {self.bounds.body_bytes:,} bytes")
        return b"".join(chunks)

    async def show_health(self, request: Request) -> Response:
        """Answers whether the service answers, and what it serves."""
        if not self.queue.is_open:
            return _refuse(503, "the service is stopping", LATER)
        facts = {"status": "ok", "version": __version__, **self.answers.describe()}
        return JSONResponse(facts)

    async def show_metrics(self, request: Request) -> Response:
        """Answers with what the service has done, for Prometheus."""
        text = prometheus_client.generate_latest(self.metrics.registry)
        return Response(text, media_type=prometheus_client.CONTENT_TYPE_LATEST)

    async def answer_unknown_path(self, request: Request, error: Any) -> Response:
        """Answers a path or a method that does not exist: an `HTTPException`."""
        paths = ", ".join([*(f"/{kind}" for kind in BODIES), "/health", "/metrics"])
        methods = sorted((error.headers or {}).get("Allow", "").split(", "))
        reasons = {
            404: f"no such path. There are: {paths}",
            405: f"this path takes {methods[0]}",
        }
        self.metrics.add_request("other", error.status_code, 0, 0)
        reason = reasons.get(error.status_code, error.detail)
        return _refuse(error.status_code, reason, error.headers)


def _count_characters(row):
    return sum(map(len, row))


def _refuse(status, reason, headers=None):
    """An error as JSON, with one line."""
    line = " ".join(str(reason).split())
    return JSONResponse({"error": line}, status, headers)
