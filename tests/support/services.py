"""The service in a process of its own, and a client."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys

FAKE = "tests.support.fake_service"  # run as a module
GATE, HURRY = "FAKE_SERVICE_GATE", "FAKE_SERVICE_HURRY"  # its variables
HEAD = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"


@contextlib.contextmanager
def run_service(*arguments, module="dsa"):
    """The process of `dsa serve` and its port.

    Args:
        arguments: of `dsa serve`, beside `--port`.
        module: what Python runs.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, "serve", *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = re.match(r"http://\S+:(\d+) ", process.stdout.readline())
        if address is None:
            raise RuntimeError(process.communicate()[1])
        yield process, int(address[1])
    finally:
        process.kill()
        process.communicate()


def ask(port, path, content=None, headers=None, method=None):
    """The status, the headers and the decoded body of an answer.

    Args:
        port: of the service.
        path: such as "/predict".
        content: of the body: JSON, bytes as they are, or `None` for none.
        headers: further ones.
        method: POST where there is a body, else GET.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = content
    if content is not None and not isinstance(content, bytes):
        body = json.dumps(content).encode()
    method = method or ("GET" if content is None else "POST")
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    is_json = response.headers["Content-Type"].startswith("application/json")
    return response.status, response.headers, json.loads(text) if is_json else text


def predict(port, rows):
    return ask(port, "/predict", {"rows": rows})


def read_count(port, name):
    """A number of `/metrics`; 0 where it is not there yet."""
    status, headers, text = ask(port, "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    number = re.search(rf"^{re.escape(name)} (\d+)(\.0)?$", text, re.M)
    return int(number[1]) if number else 0
