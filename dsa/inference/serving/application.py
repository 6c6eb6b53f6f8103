"""The service as an ASGI application; needs FastAPI."""

import asyncio
import logging
import time

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse, Response

from dsa.errors import InputError
from dsa.inference.serving.batch_queue import BatchQueue, QueueFull
from dsa.inference.serving.counts import Counts
from dsa.inference.serving.local_only import LocalOnly
from dsa.inference.serving.questions import KEYS, TooLarge, read_question
from dsa.inference.serving.rates import Rates
from dsa.version import __version__

BODY_SECONDS = 10  # to send a body
MOST_DISCARDED = 8  # bodies: more than so many is not read to the end
RETRY_AFTER = "1"  # seconds
ALONE = ("explain",)  # takes far longer than a row of the others
log = logging.getLogger(__name__)


class SlowBody(InputError):
    """A client does not send what it announced."""


class Service:
    """What the paths of the service do.

    Args:
        answers: what is asked, as `ModelAnswers`. Only one thread asks it.
        bounds: the `Bounds`.
    """

    def __init__(self, answers, bounds):
        self.answers = answers
        self.bounds = bounds
        self.counts = Counts()
        self.rates = Rates(self.bounds)
        self.queue = BatchQueue(answers, bounds, self.counts.add_batch, ALONE)

    def build_application(self, names):
        """The service as an ASGI application.

        Args:
            names: hosts that requests may name.
        """
        # no page of its own, which would load from other servers
        app = FastAPI(openapi_url=None, redirect_slashes=False)
        for kind in KEYS:
            app.add_route(f"/{kind}", self._make_endpoint(kind), methods=["POST"])
        app.add_route("/health", self.tell_health, methods=["GET"])
        app.add_route("/metrics", self.tell_counts, methods=["GET"])
        app.add_exception_handler(HTTPException, self.answer_unknown_path)
        return LocalOnly(app, names)

    def _make_endpoint(self, kind):
        async def answer(request):
            began = time.perf_counter()
            response, rows = await self._answer(kind, request)
            seconds = time.perf_counter() - began
            self.counts.add_request(f"/{kind}", response.status_code, seconds, rows)
            return response

        return answer

    async def _answer(self, kind, request):
        """The response to a request, and the number of rows that it answers."""
        try:
            self.answers.check_kind(kind)
            body = await self._read_body(request)
            rows = read_question(kind, body, self.answers.task, self.bounds)
            seconds = self.rates.take(request.client.host, len(rows), time.monotonic())
            if seconds:
                return _refuse(429, "too many rows a second", str(seconds)), 0
            texts = await asyncio.wrap_future(self.queue.submit(kind, rows))
        except SlowBody as error:
            return _refuse(408, error, headers=CLOSE), 0
        except TooLarge as error:
            return _refuse(413, error, headers=CLOSE), 0
        except QueueFull as error:
            return _refuse(503, error, RETRY_AFTER), 0
        except InputError as error:
            return _refuse(400, error), 0
        except ClientDisconnect:
            return Response(status_code=400), 0  # nobody reads it
        except Exception:
            log.exception("/%s failed", kind)
            return _refuse(500, "the model failed, its log says why"), 0
        content = f'{{"answers": [{", ".join(texts)}]}}\n'
        return Response(content, media_type="application/json"), len(rows)

    async def _read_body(self, request):
        """The body of a request, within its bound.

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

    async def tell_health(self, request):
        """Whether the service answers, and what it serves."""
        if not self.queue.is_open:
            return _refuse(503, "the service is stopping", RETRY_AFTER)
        facts = {"status": "ok", "version": __version__, **self.answers.describe()}
        return JSONResponse(facts)

    async def tell_counts(self, request):
        """What the service has done, for Prometheus."""
        lines = self.counts.write(self.queue.rows)
        return PlainTextResponse("\n".join([*lines, ""]), media_type=PROMETHEUS)

    async def answer_unknown_path(self, request, error):
        """Answer what no path takes."""
        paths = ", ".join([*(f"/{kind}" for kind in KEYS), "/health", "/metrics"])
        methods = sorted((error.headers or {}).get("Allow", "").split(", "))
        reasons = {
            404: f"no such path. There are: {paths}",
            405: f"this path takes {methods[0]}",
        }
        self.counts.add_request("other", error.status_code, 0, 0)
        reason = reasons.get(error.status_code, error.detail)
        return _refuse(error.status_code, reason, headers=error.headers)


PROMETHEUS = "text/plain; version=0.0.4"
CLOSE = {"Connection": "close"}  # the rest of a body is not waited for


def _refuse(status, reason, retry_after=None, headers=None):
    """An error as JSON, with one line."""
    headers = dict(headers or {})
    if retry_after:
        headers["Retry-After"] = retry_after
    line = " ".join(str(reason).split())
    line = line.encode(errors="backslashreplace").decode()  # half a surrogate pair
    return JSONResponse({"error": line}, status, headers)
