"""ASGI application of the HTTP service. Requires the extra `serve`."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import prometheus_client
from prometheus_client import Counter, Gauge, Histogram
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dsa.errors import InferenceError, InputError
from dsa.inference.serving.batch_queue import BatchQueue, QueueFullError
from dsa.inference.serving.limits import Limits, TooLargeError
from dsa.inference.serving.request_rows import parse_rows
from dsa.version import __version__

if TYPE_CHECKING:  # imports Keras
    from dsa.inference.serving.json_model import JsonModel

RETRY_LATER = {"Retry-After": "1"}
POWERS_OF_TWO = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
log = logging.getLogger(__name__)


class Service:
    """Request handlers of the service.

    Args:
        model: the `JsonModel`. It is only called in the worker thread of the queue.
        limits: the `Limits` of requests, batches and the queue.
    """

    def __init__(self, model: "JsonModel", limits: Limits):
        self.model = model
        self.limits = limits
        prometheus_client.disable_created_metrics()
        self.registry = registry = prometheus_client.CollectorRegistry()
        self.requests = Counter(
            "dsa_requests", "requests", ["path", "status"], registry=registry
        )
        self.rows = Counter("dsa_rows", "rows answered", ["path"], registry=registry)
        self.seconds = Histogram(
            "dsa_request_seconds", "seconds per request", ["path"], registry=registry
        )
        self.batch_rows = Histogram(
            "dsa_batch_rows", "rows per batch", buckets=POWERS_OF_TWO, registry=registry
        )
        self.queue = BatchQueue(model, limits, self.batch_rows.observe)
        waiting = Gauge("dsa_queue_rows", "rows in the queue", registry=registry)
        waiting.set_function(lambda: self.queue.waiting_rows)

    def build_application(self, hosts: Sequence[str]) -> Starlette:
        """Builds the ASGI application.

        Args:
            hosts: accepted values of the `Host` header; "*" for all values.
        """
        return Starlette(
            routes=[
                Route("/predict", self.handle_rows, methods=["POST"]),
                Route("/encode", self.handle_rows, methods=["POST"]),
                Route("/explain", self.handle_rows, methods=["POST"]),
                Route("/health", self.handle_health),
                Route("/metrics", self.handle_metrics),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts)],
            exception_handlers={HTTPException: self.handle_http_error},
        )

    async def handle_rows(self, request: Request) -> Response:
        """Handles `/predict`, `/encode` and `/explain`."""
        path = request.url.path
        with self.seconds.labels(path).time():
            response = await self._compute_response(path.removeprefix("/"), request)
        self.requests.labels(path, response.status_code).inc()
        return response

    async def _compute_response(self, kind, request):
        """Returns the response to a request, also for errors.

        Args:
            kind: "predict", "encode" or "explain".
            request: the request.
        """
        try:
            self.model.check_kind(kind)
            body = await self._read_body(request)
            rows = parse_rows(kind, body, self.model.task.inputs, self.limits)
            results = await self.queue.submit(kind, rows)
        except ClientDisconnect:
            return Response(status_code=400)
        except TooLargeError as error:
            return _error_response(413, error)
        except QueueFullError as error:
            return _error_response(503, error, RETRY_LATER)
        except asyncio.CancelledError:  # the shutdown does not wait any longer
            return _error_response(503, "the service is stopping")
        except InferenceError:
            return _report_failure(kind)
        except InputError as error:
            return _error_response(400, error)
        except Exception:
            return _report_failure(kind)
        self.rows.labels(f"/{kind}").inc(len(rows))
        content = f'{{"answers": [{", ".join(results)}]}}\n'
        return Response(content, media_type="application/json")

    async def _read_body(self, request):
        """Returns the body of a request.

        A body above the limit is read to its end and discarded, so that the client
        receives the error instead of a closed connection.
        """
        limit = self.limits.body_bytes
        body = bytearray()
        async for chunk in request.stream():
            if len(body) <= limit:
                body += chunk
        if len(body) > limit:
            raise TooLargeError(f"the body exceeds the limit of {limit:,} bytes")
        return bytes(body)

    async def handle_health(self, request: Request) -> Response:
        """Handles `/health`: returns the version and `JsonModel.describe`."""
        description = self.model.describe()
        return JSONResponse({"status": "ok", "version": __version__, **description})

    async def handle_metrics(self, request: Request) -> Response:
        """Handles `/metrics`: returns the metrics in Prometheus's text format."""
        text = prometheus_client.generate_latest(self.registry)
        return Response(text, media_type=prometheus_client.CONTENT_TYPE_LATEST)

    async def handle_http_error(self, request: Request, error: Any) -> Response:
        """Handles unknown paths and methods: returns the error as JSON."""
        return _error_response(error.status_code, error.detail, error.headers)


def _report_failure(kind):
    """Logs the current exception with its traceback, and returns the response."""
    log.exception("/%s failed", kind)
    return _error_response(500, "the model failed. See the log of the service")


def _error_response(status, message, headers=None):
    """Returns an error as JSON, on a single line."""
    return JSONResponse({"error": " ".join(str(message).split())}, status, headers)
