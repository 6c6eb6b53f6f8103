"""Check this machine: backend, extras, data, memory.

    dsa doctor
    KERAS_BACKEND=jax dsa doctor --data-root /corpora
    dsa doctor --for dsa-1

Prints the versions, the backend and its devices, the installed extras, the corpora and
word vectors in the data root, the releases, the cache, the free disk space and the free
memory. The backend is started in a separate process, so a crash of the backend is also
reported. Each problem is printed on one line with its solution. The exit code is 1 if
there are problems, otherwise 0.

--for TABLE also checks the requirements of `dsa reproduce TABLE`: files in the data
root, disk space for the downloads and the runs, memory, and packages.
"""

import os
import platform
import re
import shutil
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from dsa.commands.options import add_data_root, make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.environment import measure_available_memory
from dsa.system.folders import data_root, find_bundled, get_cache_folder
from dsa.system.terminal import show
from dsa.version import __version__

DISTRIBUTION = "dsa-nli"
REQUIREMENT = re.compile(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]")
MIN_FREE_BYTES = 2 * 2**30  # recommended free disk space, and free memory
TABLE_MEMORY_BYTES = 4 * 2**30  # see the measurements in docs/make_a_table.md
RUN_DISK_BYTES = 10**8  # disk space of a run folder
PROBLEM = "problem"
Lines = Iterator[tuple[str, str]]  # (heading, or `PROBLEM`; text)


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    add_data_root(parser)
    parser.add_argument(
        "--for", dest="table", metavar="TABLE", help="also check a table of a paper"
    )
    parser.add_argument(
        "--preset", default="full", help="preset of the table (default: full)"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (default: runs)"
    )
    options = parser.parse_args(arguments)
    root = data_root(options.data_root)
    checks = [
        inspect_backend(),
        _inspect_extras(),
        _inspect_data(root, options.data_root or os.environ.get("DSA_DATA")),
        _inspect_releases(),
        _inspect_space(root),
    ]
    if options.table:
        checks.append(_inspect_table(options.table, options.preset, options.runs, root))
    problems = []
    for lines in checks:
        for heading, text in lines:
            if heading == PROBLEM:
                problems.append(f"{PROBLEM}: {text}")
            else:
                show(f"{heading:11}{text}")
    if problems:
        show("\n".join(problems))
        raise SystemExit(1)
    show("no problems found")


def inspect_backend() -> Lines:
    """Yields the versions, the backend and its devices."""
    from dsa.backends import device_check
    from dsa.backends.choice import check_backend, get_backend_name

    yield "dsa", f"{__version__}, Python {platform.python_version()}"
    name = get_backend_name()
    try:
        check_backend()
    except InputError as error:
        yield PROBLEM, str(error)
        return
    start = device_check.start_backend()
    if start.description is None:
        yield (
            PROBLEM,
            f"{name} does not start: {start.lines[0]}. "
            f"To reinstall it: pip install --force-reinstall {name}",
        )
        return
    keras, version, kind, names = start.description
    yield "backend", f"{name} {version}, Keras {keras}"
    yield "device", device_check.describe_devices(kind, names)
    if kind == "CPU":
        explanation = device_check.explain_unused_card(start)
        if explanation:
            yield PROBLEM, explanation


def _inspect_extras() -> Lines:
    """Yields the installed extras and the missing extras."""
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield "extras", f"unknown: {DISTRIBUTION} was not installed with pip"
        return
    packages_by_extra: dict[str, list[str]] = {}
    for requirement in requirements:
        match = REQUIREMENT.match(requirement)
        if match and not match[2].startswith(("test", "tensorflow-gpu")):
            packages_by_extra.setdefault(match[2], []).append(match[1])
    installed = []
    missing = []
    for extra, packages in packages_by_extra.items():
        if all(is_installed(package) for package in packages):
            installed.append(extra)
        else:
            missing.append(extra)
    yield "extras", ", ".join(installed) or "none"
    yield "  missing", ", ".join(missing) or "none"


def is_installed(package: str) -> bool:
    """Returns whether a distribution is installed."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _inspect_data(root: Path, requested_root: str | None) -> Lines:
    """Yields the data root, and the corpora and word vectors in it.

    Args:
        root: the data root.
        requested_root: value of the option or the environment variable, a folder that
            must exist; `None` for the default folder, which may be missing.
    """
    from dsa.data.corpora.catalogue import CORPORA, EXPLOSION, VECTOR_DOWNLOADS
    from dsa.data.corpora.files import BUNDLED, is_present
    from dsa.data.corpora.subsets import list_reduced_vectors

    yield "data root", str(root) if root.is_dir() else f"{root} (no such folder)"
    if requested_root and not root.is_dir():
        yield PROBLEM, f"data root {root} does not exist. Set --data-root or DSA_DATA"
    corpora = []
    for corpus in CORPORA.values():
        splits = [
            split for split, file in corpus.splits.items() if is_present(root, file)
        ]
        if splits:
            corpora.append(f"{corpus.name} ({', '.join(splits)})")
    patterns = [Path(d.files[0].folder, f"{d.name}*") for d in VECTOR_DOWNLOADS]
    patterns += [Path(f"{file}*") for file in list_reduced_vectors()]
    patterns.append(Path("*", f"{EXPLOSION.name}*"))
    vectors: dict[str, None] = {}  # ordered set
    for pattern in patterns:
        vectors |= dict.fromkeys(file.name for file in sorted(root.glob(str(pattern))))
    names = list(corpora)
    if is_present(root, f"{BUNDLED}/train.jsonl"):
        names.insert(0, f"{BUNDLED} (bundled)")
    yield "  corpora", ", ".join(names) or "none"
    yield "  vectors", ", ".join(vectors) or "none"
    if corpora and not vectors:
        yield (
            PROBLEM,
            "word vectors are missing. To download: dsa download "
            f"{VECTOR_DOWNLOADS[0].name}",
        )


def _inspect_table(name: str, preset: str, runs: Path, root: Path) -> Lines:
    """Yields the files, the disk space, the memory and the packages that
    `dsa reproduce` requires for a table."""
    from dsa.backends.device_check import format_size
    from dsa.papers.reproduction import Folders, make_plan
    from dsa.runs.outputs import OutputFolder

    folders = Folders(find_bundled(), root, runs, OutputFolder(Path()))
    plan = make_plan(name, preset, [13], folders)
    unfinished = len(plan.unfinished)
    yield "table", f"{plan.table.title}, preset {preset}, runs to train: {unfinished}"
    for missing in plan.missing:
        text = f"missing: {', '.join(missing.files)}"
        hint = f". {missing.command or 'No automatic download'} {missing.size}".rstrip()
        if missing.optional:
            yield "  optional", f"{text} ({missing.optional}){hint}"
        else:
            yield PROBLEM, f"{text}{hint}"
    if not plan.missing:
        yield "  files", "complete"
    required_disk = MIN_FREE_BYTES + unfinished * RUN_DISK_BYTES
    for missing in plan.missing:
        required_disk += missing.disk_bytes
    yield (
        "  needs",
        f"disk {format_size(required_disk)}, memory {format_size(TABLE_MEMORY_BYTES)}",
    )
    free_disk = _measure_free_disk(root)
    if free_disk < required_disk:
        shortage = _describe_shortage("disk (data root)", free_disk, required_disk)
        yield PROBLEM, shortage
    memory = measure_available_memory()
    if memory and memory < TABLE_MEMORY_BYTES:
        yield PROBLEM, _describe_shortage("memory", memory, TABLE_MEMORY_BYTES)
    missing_packages = _list_missing_packages()
    if missing_packages:
        yield (
            PROBLEM,
            f"missing packages: {', '.join(missing_packages)}. Install them with pip",
        )
    else:
        yield "  packages", "installed"


def _list_missing_packages() -> list[str]:
    """Returns the required packages that are not installed, excluding the packages of
    extras."""
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    missing = []
    for requirement in requirements:
        name = re.split(r"[^\w.-]", requirement)[0]
        if "extra ==" not in requirement and not is_installed(name):
            missing.append(name)
    return missing


def _find_existing_folder(folder: Path) -> Path:
    """Returns the folder if it exists, otherwise its nearest existing parent."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


def _measure_free_disk(folder: Path) -> int:
    """Returns the free space in bytes on the disk of a folder, which may be missing."""
    return shutil.disk_usage(_find_existing_folder(folder)).free


def _describe_shortage(name: str, free_bytes: int, required_bytes: int) -> str:
    """Returns the message for insufficient disk space or memory."""
    from dsa.backends.device_check import format_size

    return (
        f"{name}: expected at least {format_size(required_bytes)} free. "
        f"Received: {format_size(free_bytes)}"
    )


def _inspect_releases() -> Lines:
    """Yields the names of the releases."""
    from dsa.hub.releases import list_release_names

    try:
        yield "releases", ", ".join(list_release_names())
    except InputError as error:
        yield PROBLEM, str(error)


def _inspect_space(root: Path) -> Lines:
    """Yields the cache folder, the free disk space and the free memory."""
    from dsa.backends.device_check import format_size

    cache = get_cache_folder()
    yield "cache", str(cache)
    free_bytes = {
        "disk (here)": _measure_free_disk(Path()),
        "disk (data root)": _measure_free_disk(root),
        "disk (cache)": _measure_free_disk(cache),
    }
    if not os.access(_find_existing_folder(cache), os.W_OK):
        yield PROBLEM, f"{cache} is not writable. Set DSA_CACHE to another folder"
    memory = measure_available_memory()
    if memory:
        free_bytes["memory"] = memory
    sizes = [f"{name} {format_size(size)}" for name, size in free_bytes.items()]
    yield "free", ", ".join(sizes)
    for name, size in free_bytes.items():
        if size < MIN_FREE_BYTES:
            yield PROBLEM, _describe_shortage(name, size, MIN_FREE_BYTES)
