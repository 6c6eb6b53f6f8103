"""The service in a process of its own, and a client."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys


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
