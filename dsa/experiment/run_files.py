"""What a run leaves on disk, and how it is read back.

    config.yaml         the resolved experiment
    splits.json         rows by split of the file that is dealt to several
    vocabulary.txt      one word a line; ids start at 2 (0 padding, 1 unknown)
    best.weights.h5     the weights that the dev metric selected
    features.npz        the same of the feature-based classifier
    pair_features.npz   what training rows taught about features of a pair
    feature_scale.npz   mean and deviation of these features in training
    state/              the last state of training, for --resume
    history.csv         a row per evaluation
    sha256.json         SHA-256 of the files above, see `vouched_files`
    metrics.json        every evaluation of the selected weights, with date and commit
    transfer.json       results of transfer.py
    tracking.json       the run's id in trackers, and what they have got
    environment.json    versions, device, commit, fingerprints, parameters, times
    log.txt             what was printed
    tensorboard/        curves for TensorBoard
    .dsa-lock           who writes, as long as somebody does, see `folder_lock`

Every file is written under a temporary name and renamed; none is pickled.
"""

import contextlib
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.vouched_files import RECORD, VOUCHED, replace_vouched
from dsa.system.atomic_files import temporary_files, write_atomically
from dsa.system.folder_lock import EVALUATION, NAME, lock_folder
from dsa.system.reading import check_regular, open_regular
from dsa.system.text_tables import comma_separated

TRACKING = "tracking.json"
FILES = (
    *VOUCHED,
    RECORD,
    "state/state.npz",
    "history.csv",
    "metrics.json",
    "transfer.json",
    TRACKING,
    "environment.json",
    "log.txt",
    NAME,
)
AT_THE_START = ("config.yaml", RECORD)  # the first files of a run
RESULTS = (  # from the first evaluation on
    "best.weights.h5",
    "features.npz",
    "state/state.npz",
    "history.csv",
    "metrics.json",
    "transfer.json",
    TRACKING,
)


class RunFiles:
    """The files of one run, by name.

    Args:
        path: the folder; it need not exist yet.
    """

    def __init__(self, path):
        self.path = Path(path)

    def __repr__(self):
        return f"RunFolder('{self.path}')"

    def __str__(self):
        return str(self.path)

    __fspath__ = __str__

    @property
    def weights(self):
        return self.path / "best.weights.h5"

    @property
    def features(self):
        return self.path / "features.npz"

    @property
    def pair_features(self):
        return self.path / "pair_features.npz"

    @property
    def feature_scale(self):
        return self.path / "feature_scale.npz"

    @property
    def state(self):
        return self.path / "state" / "state.npz"

    @property
    def log(self):
        return self.path / "log.txt"

    def is_started(self):
        """Whether a run has written its config here."""
        return (self.path / "config.yaml").is_file()

    def check_no_links(self):
        """Raises an error for a link in the folder: what is written to it would land
        elsewhere. Also for a named pipe or a device, which nothing may wait for.

        Raises: `InputError`, also if there is no such folder.
        """
        if not self.path.is_dir():
            raise InputError(f"{self.path}: no such run folder")
        for file in self.path.rglob("*"):
            if file.is_symlink():
                raise InputError(f"{file}: a link, which a run folder must not hold")
            check_regular(file)

    @contextlib.contextmanager
    def hold(self, work):
        """Be the only one who writes into the folder, inside the context; folders that
        are empty then, and were not there before, are removed at its end.

        Args:
            work: what for, see `folder_lock`.

        Raises: `BusyError` that names the process that writes already.
        """
        folders = [self.path, *self.path.parents]
        new = [folder for folder in folders if not folder.exists()]
        if new:
            self.path.mkdir(parents=True, exist_ok=True)
        elif not self.path.is_dir():
            raise InputError(f"{self.path} is there already and is not overwritten")
        try:
            with lock_folder(self.path, work):
                yield
        finally:
            with contextlib.suppress(OSError):  # one holds something
                for folder in new:
                    folder.rmdir()

    def check_not_training(self):
        """Raises an error if a training is writing into the folder.

        Raises: `BusyError` that names its process.
        """
        with self.hold(EVALUATION):
            pass

    def create(self):
        """Prepare the folder, which is held, for a new run.

        Raises: `InputError` if something is there already: runs are never overwritten.
        """
        if self._holds_something():
            raise InputError(
                f"{self.path} is there already and is not overwritten. Continue it "
                "with --resume, name another folder with --run, or remove it"
            )
        self.check_no_links()
        self.remove_left_files()
        self.state.parent.mkdir(exist_ok=True)

    def discard(self):
        """Remove a new run that failed before its first evaluation: nothing is lost,
        and the corrected command can use the folder. Other files in it stay."""
        if any(self.path.rglob(self.state.name)):  # its own, or of its first stage
            return
        if (self.path / "features.npz").exists():  # a linear model, fitted to its end
            return
        for file in self._own_files():
            if file.name != NAME:  # it is held
                file.unlink(missing_ok=True)
        if not any(self.state.parent.iterdir()):
            self.state.parent.rmdir()

    def is_abandoned(self):
        """Whether all that is here is what a run has left that was killed before its
        first evaluation, such as while its model was built. The folder is held."""
        begun = all((self.path / name).is_file() for name in AT_THE_START)
        if not begun or not self.state.parent.is_dir():
            return False
        if any((self.path / name).exists() for name in RESULTS):
            return False
        own = {self.state.parent, *self._own_files()}
        return all(file in own for file in self.path.rglob("*"))

    def _own_files(self):
        """The files that a run writes, and what killed writers of them have left."""
        return [*(self.path / name for name in FILES), *self._left_files()]

    def _left_files(self):
        """The temporary files of killed writers; version 0.1.0 named them otherwise."""
        files = [self.path / name for name in FILES]
        earlier = [file.with_name(f"tmp.{file.name}") for file in files]
        new = [left for file in files for left in temporary_files(file)]
        return [*(file for file in earlier if file.exists()), *new]

    def remove_left_files(self):
        """Remove the temporary files of killed writers; nobody else may be writing."""
        for file in self._left_files():
            file.unlink(missing_ok=True)

    def _holds_something(self):
        """Whether there is more than what a run killed at its very start leaves."""
        left = {self.state.parent, self.path / NAME, *self._left_files()}
        return any(file not in left for file in self.path.rglob("*"))

    def write(self, name, content):
        """Write a text file of the run."""
        if name in VOUCHED:
            with self.replace(name) as path:
                write_atomically(path, content)
        else:
            write_atomically(self.path / name, content)

    def replace(self, name):
        """A context that replaces a file of the model, see `replace_vouched`."""
        return replace_vouched(self.path, name)

    def write_json(self, name, content):
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        # half a surrogate pair, as in a file name that is no UTF-8, as JSON escapes it
        self.write(name, text.encode(errors="backslashreplace"))

    def write_history(self, rows):
        """Write `history.csv` from a list of dictionaries with the same keys."""
        self.write("history.csv", comma_separated(rows))

    def read(self, name):
        """The text of a file of the run.

        Raises: `InputError` if it is missing or no UTF-8.
        """
        try:
            with open_regular(self.path / name) as file:
                return file.read().decode("utf-8")
        except FileNotFoundError:
            raise InputError(
                f"{self.path} is no complete run: {name} is missing"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.path / name}: not readable: {error}") from error

    def read_json(self, name):
        try:
            return json.loads(self.read(name))
        except InputError:
            raise
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path / name}: not JSON: {error}") from error
