"""A process that runs the HTTP service, and a client."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys

FAKE = "tests.support.fake_service"  # a module
GATE = "FAKE_SERVICE_GATE"  # its environment variable
HEAD = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"


@contextlib.contextmanager
def run_service(*arguments, module="dsa"):
    """Starts `dsa serve`; yields the process and its port.

    Args:
        arguments: arguments of `dsa serve` besides `--port`.
        module: the Python module that runs it.
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


def request(port, path, content=None, headers=None):
    """Sends a request; POST if it has a body, else GET.

    Args:
        port: port of the service.
        path: a path such as "/predict".
        content: the body: bytes, or a value that is sent as JSON.
        headers: further headers.

    Returns: status, headers and decoded body of the response.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = content
    if content is not None and not isinstance(content, bytes):
        body = json.dumps(content).encode()
    method = "GET" if content is None else "POST"
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    is_json = response.headers["Content-Type"].startswith("application/json")
    return response.status, response.headers, json.loads(text) if is_json else text


def predict(port, rows):
    return request(port, "/predict", {"rows": rows})


def read_metric(port, name):
    """Returns a value of `/metrics`, 0 if it is missing."""
    status, headers, text = request(port, "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    number = re.search(rf"^{re.escape(name)} (\d+)(\.0)?$", text, re.M)
    return int(number[1]) if number else 0
