"""What is done while calls fail: a training, a lock, exports, a push, bulk work.

Each situation has a folder that it begins with, a command, what must hold whenever the
command fails or is killed, and a result that the next start must reach.
"""

import abc
import contextlib
import hashlib
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.fetching import find_run_folder
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.inference.export.export_run import SETTINGS, SHA256
from dsa.jobs.job_process import DONE, FAILED, Ending
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import temporary_files, write_atomically
from dsa.system.command_line import command
from dsa.system.folder_lock import NAME, TRAINING, lock_folder
from dsa.training.training_state import read_state
from tests.faults.folders import read_folder, read_runs
from tests.support.killed_bulk import InThisProcess
from tests.support.runs import VECTORS, write_experiment
from tests.support.small_bulk import RUN, load_small_model

SMALL = {"name": "swem", "units": 3, "classifier": {"units": 3}}
EMBEDDING = {"units": 4}
TWO_EVALUATIONS = {"epochs": 1, "evaluate_every": 4, "shapes": 2}
SECTIONS = {"model": SMALL, "embedding": EMBEDDING, "training": TWO_EVALUATIONS}
STAGES = {  # ABCNN-1: the first block, then both, then the last classifier
    "model": {"name": "abcnn1", "convolutions": 2, "filters": 3, "width": 2},
    "tokenizer": {"max_tokens": 6},
    "embedding": {"path": "vectors.txt", "units": 4, "trainable": False},
    "training": {"batch_size": 8, "epochs": 2, "shapes": 2},
}
REFIT = {
    **SECTIONS,
    "training": {"epochs": 2, "shapes": 2, "refit_with_dev": True},
}


class Situation(abc.ABC):
    """A command, and what holds.

    Attributes:
        uses_keras: whether it computes with Keras.
        sockets: whether what it sends is counted too.
        lines: of errors, at most.
        tries_again: whether it says so where a connection is cut, and succeeds.
    """

    uses_keras, sockets, lines, tries_again = False, False, 1, False

    def prepare(self, folder):
        """Write what the command needs; by default it needs nothing."""
        return None

    @abc.abstractmethod
    def run(self, folder):
        """Run the command; returns its exit code. The folder is the working
        directory."""

    def find_loss(self, folder):
        """What is lost or unsound in a folder whose command has failed, as a text;
        `None` for nothing, as by default."""
        return None

    def measure(self, folder):
        """A number that does not fall when the command fails later."""
        return 0

    @abc.abstractmethod
    def read_result(self, folder):
        """What every complete result has in common."""


class Training(Situation):
    """A training that is evaluated on dev at its end; with several stages, or a refit,
    all of their runs count.

    Args: sections of `write_experiment`; by default two evaluations of a small model.
    """

    uses_keras = True

    def __init__(self, **sections):
        self._sections = sections or SECTIONS

    def prepare(self, folder):
        (folder / "vectors.txt").write_text(VECTORS)
        write_experiment(folder, **self._sections)

    def run(self, folder):
        from dsa.commands.train import main

        return main("small.yaml --data-root . --run run --resume".split())

    def find_loss(self, folder):
        run = RunFolder(folder / "run")
        if not run.is_started():
            return None
        try:
            run.check_files()
            if run.state.is_file():
                read_state(run.state)
        except InputError as error:
            return str(error)
        return None

    def measure(self, folder):
        state = RunFolder(folder / "run").state
        return read_state(state)[1].step if state.is_file() else 0

    def read_result(self, folder):
        run = RunFolder(folder / "run")
        log = (folder / "run/log.txt").read_text()
        return {
            **read_runs(folder),
            "evaluated": {entry["accuracy"] for entry in run.metrics()},
            "logged": "best dev" in log or "has finished" in log,
        } | read_folder(folder / "run", ["config.yaml", "vocabulary.txt"])


class Sweep(Situation):
    """Four runs, two at once, each in a process of its own."""

    def prepare(self, folder):
        write_experiment(folder, **SECTIONS)

    def run(self, folder):
        from dsa.commands.sweep import main

        arguments = "--seeds 1 2 3 4 --data-root . --runs runs --workers 2"
        return main(["small.yaml", *arguments.split()])

    def read_result(self, folder):
        return read_runs(folder)


class Lock(Situation):
    """A folder is locked, a file in it replaced; a dead process has left its lock."""

    def prepare(self, folder):
        (folder / "place").mkdir()
        (folder / "place" / NAME).write_text("{}")
        (folder / "place/file.txt").write_text("old")

    def run(self, folder):
        place, reached = Path("place"), []

        @command
        def main(arguments):
            with lock_folder(place, TRAINING):
                for left in temporary_files(place / "file.txt"):
                    left.unlink(missing_ok=True)
                write_atomically(place / "file.txt", "new")
                reached.append(True)

        code = main([])
        with contextlib.suppress(OSError), lock_folder(place, TRAINING):
            pass  # it was let go: else `BusyError` is raised
        return code if reached or code else 1

    def find_loss(self, folder):
        text = (folder / "place/file.txt").read_text()
        return None if text in ("old", "new") else f"file.txt holds {text!r}"

    def read_result(self, folder):
        return read_folder(folder / "place")


class ReportingExecutor(InThisProcess):
    """As `InThisProcess`; a job that fails is reported as one of another process is."""

    def start(self, job):
        code = worker.main(list(job.command))
        self._ended.append((job, Ending(FAILED, "see above") if code else Ending(DONE)))


class Bulk(Situation):
    """Rows in shards, driver and jobs in one process."""

    lines = 2  # of the job and of the driver

    def __init__(self, what):
        self._what = what

    def prepare(self, folder):
        line = "a man number {}" if self._what == "vectors" else "a man {}\ta person"
        rows = "".join(line.format(n) + "\n" for n in range(9))
        (folder / "rows.txt").write_text(rows)

    def run(self, folder):
        worker.load_model = load_small_model

        @command
        def main(arguments):
            source = find_run_folder(RUN)
            work = BulkWork(self._what, source, "rows.txt", Path("out"), 2)
            return work.do(ReportingExecutor())

        return main([])

    def measure(self, folder):
        finished = len(list(folder.glob("out/work/[0-9]*-*")))
        return 100 if (folder / "out/manifest.json").is_file() else finished

    def read_result(self, folder):
        return read_folder(folder / "out")


class Export(Situation):
    """A run as files for other programs."""

    uses_keras = True

    def __init__(self, form):
        self._form = form

    def prepare(self, folder):
        import dsa

        config = write_experiment(folder, **SECTIONS)
        dsa.train(config, folder / "run", data_root=folder)

    def run(self, folder):
        from dsa.commands.export import main

        return main(["run", "--format", self._form, "--out", "out", "--force"])

    def find_loss(self, folder):
        try:
            RunFolder(folder / "run").check_files()
        except InputError as error:
            return str(error)
        return None

    def read_result(self, folder):
        files = read_folder(folder / "out")
        vouched = json.loads(files[SETTINGS])[SHA256]
        right = [
            name
            for name, digest in vouched.items()
            if hashlib.sha256(files[name]).hexdigest() == digest
        ]  # the files of each export have other bytes
        return {"names": sorted(files), "vouched": sorted(right)}


class Push(Situation):
    """A run into a repository; `hub` is a running `Hub`."""

    sockets = tries_again = True

    def __init__(self, hub):
        self._hub = hub

    def prepare(self, folder):
        import dsa.hub
        from dsa.data.download.archives import unpack

        unpack(Path(dsa.hub.__file__).with_name("mini.zip"), folder / "run")

    def run(self, folder):
        from dsa.commands.push import main

        return main(["run", self._name(folder)])

    def find_loss(self, folder):
        branches = self._hub.branches.get(self._name(folder))
        files = self._hub.commits[branches["main"]] if branches else {}
        if len(files) > 1 and files.keys() != self._pushed(folder).keys():
            return f"the repository has only {', '.join(files)}"
        return None

    def read_result(self, folder):
        return self._pushed(folder) | read_folder(folder / "run")

    def _pushed(self, folder):
        return self._hub.files(self._name(folder))

    def forget(self, folder):
        """Removes the repository of a folder."""
        self._hub.branches.pop(self._name(folder), None)

    def _name(self, folder):
        return f"maria/{folder.name}"
