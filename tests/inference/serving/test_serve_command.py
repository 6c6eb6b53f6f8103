"""Arguments and imports of `dsa serve`."""

import dataclasses
import pathlib
import re
import socket
import subprocess
import sys

import pytest

from dsa.commands.main import main
from dsa.errors import InputError
from dsa.inference.serving.limits import Limits
from dsa.inference.web_server import listen


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    monkeypatch.delitem(sys.modules, "dsa.inference.serving.application", raising=False)
    assert main(["serve", "mini"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: the service requires the extra `serve` (")
    assert "To install it: pip install" in error
    assert len(error.splitlines()) == 1


def test_the_service_does_not_import_matplotlib():
    code = (
        "import sys\n"
        "import dsa.commands.serve, dsa.inference.serving.json_model\n"
        "import dsa.inference.serving.batch_queue, dsa.inference.web_server\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_port_in_use_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"^127.0.0.1:{port}: Address already in "):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no such name", "a" * 100, "ü" * 70])
def test_an_address_of_another_machine_is_an_error(host):
    with pytest.raises(InputError, match=f"^{host}:0: ") as error:
        listen(host, 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_addresses_are_accepted(host):
    try:
        listening = listen(host, 0)
    except InputError:
        pytest.skip(f"this machine has no {host}")
    with listening:
        assert listening.getsockname()[1] > 0


def test_accepted_connections_send_without_delay():
    with listen("127.0.0.1", 0) as listening:
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "99999"], "--port: expected a number from 0 to 65535"),
        (["--batch-rows", "0"], "--batch-rows: expected a number from 1 to"),
        (["--queue-rows", "0"], "--queue-rows: expected a number from 1 to"),
        (["--batch-ms", "-1"], "--batch-ms: expected a number from 0 to"),
        (["--batch-ms", "nan"], "--batch-ms: "),
        (["--body-bytes", "1e9"], "--body-bytes: "),
    ],
)
def test_an_invalid_limit_is_an_error(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(["serve", "mini", *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_page_lists_every_limit_with_its_default():
    table = pathlib.Path("docs/serving.md").read_text()
    rows = dict(re.findall(r"^\| `--([\w-]+)` \| ([\d,]+) \|", table, flags=re.M))
    assert {name: float(n.replace(",", "")) for name, n in rows.items()} == {
        field.name.replace("_", "-"): field.default
        for field in dataclasses.fields(Limits)
    }
