"""sha256 of files, computed once as long as a file stays as it is."""

import hashlib
import json
import time
from pathlib import Path

from dsa.system.atomic_files import write_atomically
from dsa.system.folders import cache_folder
from dsa.system.regular_files import open_regular

SECONDS = 2  # a file that is younger can change again without another time


def fingerprint(path):
    """sha256 of a file's bytes, as hexadecimal text.

    The digest is kept in the cache folder with the file's size and time of
    modification, and is computed again when one of them is another. That of a file that
    was modified within the last two seconds is not kept.
    """
    path = Path(path).absolute()
    before = path.stat()
    name = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()
    cached = cache_folder() / "fingerprints" / f"{name}.json"
    facts = {"size": before.st_size, "modified": before.st_mtime_ns}
    digest = _read(cached, facts)
    if digest is None:
        with open_regular(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if time.time() - before.st_mtime > SECONDS:
            _keep(cached, {**facts, "sha256": digest})
    return digest


def _read(cached, facts):
    """The digest that is kept for a file with these facts, or `None`."""
    try:
        record = json.loads(cached.read_text(encoding="utf-8"))
        same = all(record[name] == value for name, value in facts.items())
        return str(record["sha256"]) if same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none yet, or damaged: computed again


def _keep(cached, record):
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, json.dumps(record))
    except OSError:
        pass  # a cache that cannot be written only costs time
