"""Who may ask: the page and the service answer their own requests only."""

import asyncio

import pytest

from dsa.inference.serving.server import LocalOnly

HOST = b"127.0.0.1:7860"


def ask(*headers, kind="http"):
    """What an application sends that the guard protects."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "answer"})

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": list(headers)}
    asyncio.run(LocalOnly(app)(scope, None, send))
    return sent


@pytest.mark.parametrize(
    "headers",
    [
        [(b"host", HOST)],
        [(b"host", b"localhost:7860")],
        [(b"host", b"[::1]:7860")],
        [(b"host", HOST), (b"origin", b"http://127.0.0.1:7860")],
    ],
)
def test_the_page_itself_is_answered(headers):
    for kind in ("http", "websocket"):
        assert ask(*headers, kind=kind) == [{"type": "answer"}]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"host", b"evil.example")],  # DNS rebinding
        [(b"host", b"evil.example:7860")],
        [(b"host", b"127.0.0.1.evil.example")],
        [(b"host", b"127.0.0.1@evil.example")],
        [(b"host", b"user@127.0.0.1:7860")],
        [(b"host", b"@127.0.0.1")],
        [(b"host", b"127.0.0.1/path")],
        [(b"host", b"[")],
        [(b"host", HOST), (b"host", b"evil.example")],
        [(b"host", HOST), (b"origin", b"http://evil.example")],
        [(b"host", HOST), (b"origin", b"http://127.0.0.1:8000")],
        [(b"host", HOST), (b"origin", b"https://127.0.0.1:7860")],
        [(b"host", HOST), (b"origin", b"null")],
    ],
)
def test_others_are_refused(headers):
    start, body = ask(*headers)
    assert start["status"] == 403 and body["body"]
    assert ask(*headers, kind="websocket") == [
        {"type": "websocket.close", "code": 1008}
    ]


def test_what_is_no_request_passes():
    assert ask(kind="lifespan") == [{"type": "answer"}]
