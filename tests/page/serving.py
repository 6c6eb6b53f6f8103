"""The page in a separate process, and a headless Chromium."""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys


def find_chromium():
    """Returns the path of Chromium: of the system, else of playwright, else `None`."""
    system = shutil.which("chromium") or shutil.which("chromium-browser")
    if system or not importlib.util.find_spec("playwright"):
        return system
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


CHROMIUM = find_chromium()


@contextlib.contextmanager
def served(*runs):
    """Starts the page for one or two run folders; yields its address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "dsa", "explore", *map(str, runs), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        lines = (re.match(r"http://127\.0\.0\.1:\d+", line) for line in server.stdout)
        address = next(filter(None, lines), None)
        if address is None:
            raise RuntimeError(f"the page ended with exit code {server.wait()}")
        yield address[0]
    finally:
        server.terminate()
        server.wait(30)


@contextlib.contextmanager
def headless_chromium():
    """Yields a `playwright` browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()
