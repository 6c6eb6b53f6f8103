"""Damages valid files at random, and checks the promises of all commands.

    python -m tests.fuzz --seconds 60 --seed 1
    python -m tests.fuzz --case 1-48        # one case of a seed again, with its output

A command exits with 0 or 2. With 2, it prints lines that begin with "error: ", without
a traceback, and does not change run folders. It ends within 60 seconds, and changes
only its own output.

Each case runs in a process that is forked after all imports. The fuzzer prints broken
promises, keeps the files of these cases in the printed folder, and exits with 1.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import tempfile
import time
from pathlib import Path

from dsa.inference.onnx_inference import ONNX_FOLDER, SETTINGS, SHA256
from dsa.runs.run_files import write_record
from dsa.system.reading import compute_sha256
from tests.support.array_mutations import mutate_arrays
from tests.support.forks import import_commands, run_in_fork
from tests.support.mutations import mutate

PATIENCE = 60  # seconds for a command
PREPARATION = 600  # seconds for three trainings
MEMORY = 8 * 2**30  # maximum bytes of a command
LONGEST_LINE = 2000


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", help="SEED-NUMBER of one case")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        valid = Path(folder, "valid")
        _import_and_prepare(valid, Path(folder, "cache"))
        if options.case:
            seed, number = map(int, options.case.split("-"))
            broken = run_case(valid, seed, number, show=True)
            return 1 if broken else 0
        return _run_cases(valid, options)


def _run_cases(valid, options):
    until, number, ended = time.monotonic() + options.seconds, 0, []
    broken = 0
    while time.monotonic() < until:
        promise = run_case(valid, options.seed, number, ended=ended)
        if promise:
            broken += 1
            print(promise, flush=True)
        number += 1
    refused = sum(code == 2 for code in ended)
    print(
        f"{number} cases: {ended.count(0)} were accepted, {refused} were refused, "
        f"{broken} broke a promise"
    )
    return 1 if broken else 0


def _import_and_prepare(valid, cache):
    """Writes the valid files in a child process.

    This process must not start TensorFlow: forks do not copy its threads.
    """
    os.environ["DSA_CACHE"] = str(cache)
    os.environ.pop("DSA_DATA", None)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import_commands()
    from tests.support import fuzz_situations

    valid.mkdir()
    code, _, output = _in_a_child(
        valid, lambda: fuzz_situations.prepare(valid), PREPARATION
    )
    if code:
        raise SystemExit(f"writing the valid files failed:\n{output}")


def run_case(valid, seed, number, ended=None, show=False):
    """Runs one case.

    Returns: a text about a broken promise, or `None`.
    """
    from tests.support.fuzz_situations import SITUATIONS

    drawn = random.Random(f"{seed}-{number}")
    name = drawn.choice(sorted(SITUATIONS))
    situation = SITUATIONS[name]
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{seed}-{number}-"))
    shutil.copytree(valid, folder, dirs_exist_ok=True)
    arguments = [*situation.arguments]
    if situation.settings:
        target = drawn.choice(situation.settings)
        damaged, how = mutate(drawn, target.encode())
        text = damaged.replace(b"\0", b"").decode("utf-8", "surrogateescape")
        arguments += ["--set", text]
    else:
        target = drawn.choice(situation.files)
        how = _damage(drawn, folder / target)
        for run in situation.vouched:
            _vouch(folder / run)
    if arguments[0] in ("train", "evaluate", "predict", "encode", "compare"):
        arguments += ["--data-root", "."]
    before = _fingerprints(folder)
    call = situation.function or (lambda: _run_command(arguments))
    code, seconds, output = _in_a_child(folder, call)
    if ended is not None:
        ended.append(code)
    if show:
        print(f"{name}; {target}; {how}\ndsa {arguments}\nexit {code}\n{output}")
    changed = {
        path
        for path in before.keys() | _fingerprints(folder).keys()
        if before.get(path) != _fingerprints(folder).get(path)
    }
    promise = check_promises(code, seconds, output, changed, situation)
    if promise is None:
        shutil.rmtree(folder)
        return None
    return (
        f"case {seed}-{number}: {promise}\n"
        f"  {name}: dsa {' '.join(map(repr, arguments))}\n"
        f"  damaged: {target} ({', '.join(how)}), in {folder}\n"
        + "".join(f"  | {line}\n" for line in output.splitlines()[-12:])
    )


def _damage(drawn, path):
    """Damages a file; returns the names of the changes."""
    content = path.read_bytes()
    if path.suffix in (".h5", ".npz") and drawn.random() < 0.6:
        damaged, how = mutate_arrays(drawn, path.name, content)
    else:
        damaged, how = mutate(drawn, content)
    path.write_bytes(damaged)
    return how


def _vouch(run):
    """Updates the digests of a run to match its damaged files, like an attacker."""
    write_record(run)
    form = run / ONNX_FOLDER
    with contextlib.suppress(OSError, ValueError, TypeError):  # damaged itself
        content = json.loads((form / SETTINGS).read_text())
        content[SHA256] |= {p.name: compute_sha256(p) for p in form.glob("*.onnx")}
        (form / SETTINGS).write_text(json.dumps(content))


def check_promises(code, seconds, output, changed, situation):
    """Returns the promise that a command broke, as a text, or `None`.

    Args:
        code: its exit code; negative for a signal.
        seconds: how long it ran.
        output: what it wrote to standard error.
        changed: the files that it made, changed or removed.
        situation: the `Situation`.
    """
    if seconds > PATIENCE:
        return f"still running after {PATIENCE} seconds"
    if code not in (0, 2):
        return f"exit code {code}"
    if "Traceback" in output:
        return "a traceback"
    errors = [line for line in output.splitlines() if "error: " in line]
    if code == 2 and not errors:
        return "no line says why"
    if code == 2 and max(map(len, errors)) > LONGEST_LINE:
        return f"a line of {max(map(len, errors))} characters"
    allowed = situation.writes if code == 0 else _new_only(situation.writes)
    other = sorted(
        path
        for path in changed
        if not any(path == own or path.startswith(f"{own}/") for own in allowed)
    )
    if other:
        return f"changed {', '.join(other)}"
    return None


def _new_only(writes):
    """Returns the outputs of a command that no valid folder contains, such as logs."""
    return tuple(path for path in writes if path in ("new", "out.jsonl", "out.npy"))


def _run_command(arguments):
    from dsa.commands.main import main as run

    return run(arguments)


def _in_a_child(folder, function, patience=PATIENCE):
    """Calls a function in a fork and in a folder, for at most `patience` seconds.

    Returns: exit code, seconds and standard error.
    """

    def call():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        return function()

    ended = run_in_fork(call, patience, folder)
    return ended.code, ended.seconds, ended.errors


def _fingerprints(folder):
    """Returns the hash of each file in a folder, by its relative path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


if __name__ == "__main__":
    raise SystemExit(main())
