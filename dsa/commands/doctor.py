"""Check this machine: backend, extras, data, memory.

    dsa doctor
    KERAS_BACKEND=jax dsa doctor --data-root /corpora
    dsa doctor --for dsa-1

Prints versions, backend and devices, installed extras, corpora and word vectors below
the data root, the cache, free disk space and memory. The backend is started in a
separate process, so a broken backend is reported too. Each problem is a line with its
solution. The exit code is 0 without problems, else 1.

--for TABLE also checks what `dsa reproduce TABLE` needs: files below the data root,
disk space for the downloads and the runs, memory, and packages.
"""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from dsa.commands.options import add_data_root, make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.environment import available_memory
from dsa.system.folders import cache_folder, data_root, find_bundled
from dsa.system.terminal import show
from dsa.version import __version__

DISTRIBUTION = "dsa-nli"  # name of the distribution
REQUIREMENT = re.compile(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]")
NEEDED = 2 * 2**30  # bytes of disk and memory
MEMORY_OF_TABLE = 4 * 2**30  # bytes; docs/make_a_table.md has the measured memory
DISK_OF_RUN = 10**8  # bytes
PROBLEM = "problem"
Lines = Iterator[tuple[str, str]]  # a heading, or `PROBLEM`, and a text


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    add_data_root(parser)
    parser.add_argument(
        "--for", dest="table", metavar="TABLE", help="also check a table of a paper"
    )
    parser.add_argument("--preset", default="full", help="of the table (full)")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (runs)"
    )
    options = parser.parse_args(arguments)
    root, problems = data_root(options.data_root), []
    checks = [
        _inspect_backend(),
        _inspect_extras(),
        _inspect_data(root, options.data_root or os.environ.get("DSA_DATA")),
        _inspect_room(root),
    ]
    if options.table:
        checks.append(_inspect_table(options.table, options.preset, options.runs, root))
    for lines in checks:
        for heading, text in lines:
            if heading == PROBLEM:
                problems.append(f"{PROBLEM}: {text}")
            else:
                show(f"{heading:11}{text}")
    show("\n".join(problems) or "no problem found")
    if problems:
        raise SystemExit(1)


def _inspect_backend() -> Lines:
    from dsa.backends import device_check
    from dsa.backends.choice import check_backend, choose_backend

    yield "dsa", f"{__version__}, Python {platform.python_version()}"
    name = choose_backend()
    try:
        check_backend()
    except InputError as error:
        yield PROBLEM, str(error)
        return
    start = device_check.start_backend()
    if start.facts is None:
        yield (
            PROBLEM,
            f"{name} does not start: {start.lines[0]}. "
            f"pip install --force-reinstall '{DISTRIBUTION}[{name}]' installs it again",
        )
        return
    keras, version, kind, names = start.facts
    yield "backend", f"{name} {version}, Keras {keras}"
    yield "device", device_check.describe_devices(kind, names)
    if kind == "CPU" and (unused := device_check.explain_unused_card(start)):
        yield PROBLEM, unused


def _inspect_extras() -> Lines:
    """Yields the installed and the missing extras."""
    try:
        needed = map(REQUIREMENT.match, metadata.requires(DISTRIBUTION) or [])
    except metadata.PackageNotFoundError:
        yield "extras", f"not known: pip has not installed {DISTRIBUTION}"
        return
    extras: dict[str, bool] = {}
    for package, extra in (match.groups() for match in needed if match):
        if not re.match("test|tensorflow-gpu", extra):
            extras[extra] = extras.get(extra, True) and _is_installed(package)
    for heading, is_there in (("extras", True), ("  missing", False)):
        names = [name for name in extras if extras[name] == is_there]
        yield heading, ", ".join(names) or "none"


def _is_installed(package):
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _inspect_data(root: Path, named: str | None) -> Lines:
    from dsa.data.corpora.catalogue import CORPORA, VECTORS
    from dsa.data.corpora.files import BUNDLED, is_present

    yield "data root", f"{root}{'' if root.is_dir() else ' (no such folder)'}"
    if named and not root.is_dir():
        yield PROBLEM, f"no folder {root}. --data-root or DSA_DATA names another one"
    corpora = []
    for corpus in CORPORA.values():
        splits = [
            split for split, file in corpus.splits.items() if is_present(root, file)
        ]
        if splits:
            corpora.append(f"{corpus.name} ({', '.join(splits)})")
    vectors = [
        file.name
        for known in VECTORS
        for file in sorted(Path(root, known.files[0].folder).glob(f"{known.name}*"))
    ]
    names = list(corpora)
    if is_present(root, f"{BUNDLED}/train.jsonl"):
        names.insert(0, f"{BUNDLED} (bundled)")
    yield "  corpora", ", ".join(names) or "none"
    yield "  vectors", ", ".join(vectors) or "none"
    if corpora and not vectors:
        yield PROBLEM, f"no word vectors. dsa download {VECTORS[0].name} brings them"


def _inspect_table(name: str, preset: str, runs: Path, root: Path) -> Lines:
    """Yields files, disk, memory and packages that a table needs."""
    from dsa.backends.device_check import format_size
    from dsa.papers.reproduction import Folders, make_plan
    from dsa.runs.outputs import OutputFolder

    folders = Folders(find_bundled(), root, runs, OutputFolder(Path()))
    plan = make_plan(name, preset, [13], folders)
    left = len(plan.unfinished)
    yield "table", f"{plan.table.title}, preset {preset}, runs to train: {left}"
    for missing in plan.missing:
        text = f"missing: {', '.join(missing.files)}"
        how = f". {missing.command or 'No download is known'} {missing.size}".rstrip()
        if missing.optional:
            yield "  optional", f"{text} ({missing.optional}){how}"
        else:
            yield PROBLEM, f"{text}{how}"
    if not plan.missing:
        yield "  files", "complete"
    disk = NEEDED + sum(missing.room for missing in plan.missing) + left * DISK_OF_RUN
    yield "  needs", f"disk {format_size(disk)}, memory {format_size(MEMORY_OF_TABLE)}"
    free = _measure_disk(root)
    if free < disk:
        yield PROBLEM, f"disk (data root): only {format_size(free)} are free. Make room"
    memory = available_memory()
    if memory and memory < MEMORY_OF_TABLE:
        yield PROBLEM, f"memory: only {format_size(memory)} are free. Make room"
    lacking = _list_missing_packages()
    if lacking:
        yield PROBLEM, f"missing packages: {', '.join(lacking)}. pip install them"
    else:
        yield "  packages", "installed"


def _list_missing_packages() -> list[str]:
    """Returns the required packages that are not installed; extras are left out."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    names = [re.split(r"[^\w.-]", line)[0] for line in lines if "extra ==" not in line]
    return [name for name in names if not _is_installed(name)]


def _measure_disk(place: Path) -> int:
    """Returns the free bytes of the disk of a folder, which need not exist."""
    place = place.absolute()
    existing = next(path for path in (place, *place.parents) if path.exists())
    return shutil.disk_usage(existing).free


def _inspect_room(root: Path) -> Lines:
    from dsa.backends.device_check import format_size

    cache, free = cache_folder(), {}
    yield "cache", str(cache)
    for name, place in (("here", Path()), ("data root", root), ("cache", cache)):
        place = place.absolute()
        existing = next(path for path in (place, *place.parents) if path.exists())
        free[f"disk ({name})"] = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK):
        yield PROBLEM, f"{cache} cannot be written. DSA_CACHE names another folder"
    memory = available_memory()
    free |= {"memory": memory} if memory else {}
    yield "free", ", ".join(f"{name} {format_size(free[name])}" for name in free)
    for name in free:
        if free[name] < NEEDED:
            yield PROBLEM, f"{name}: only {format_size(free[name])} are free. Make room"
