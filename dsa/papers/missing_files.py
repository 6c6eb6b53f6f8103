"""Files that the runs of a table need and the data root lacks, with their downloads."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.data.corpora.catalogue import WORDNET, find_download
from dsa.data.corpora.corpus import Download
from dsa.data.corpora.files import is_present
from dsa.data.corpora.hub_rows import is_address
from dsa.data.corpora.subsets import SUBSETS, find_subset
from dsa.data.pair_features.groups import GROUPS
from dsa.data.pair_features.wordnet import open_wordnet
from dsa.experiment.config import Experiment

UNPACKED = 6  # times the size of an archive: the archive and its files
EVALUATION = "only for evaluation, which is skipped without it"


@dataclasses.dataclass(frozen=True)
class MissingFiles:
    """Missing files that one command provides.

    Args:
        command: such as "dsa download snli"; "" for files that no command provides.
        size: size of the download as text; "" for a command that downloads nothing.
        bytes: size of the download; 0 if it is unknown.
        room: bytes of disk that the download needs, with its unpacked files.
        files: paths relative to the data root.
        optional: effect of training without the files; "" for files that are required.
    """

    command: str
    size: str
    bytes: int
    room: int
    files: tuple[str, ...]
    optional: str = ""

    def describe(self) -> str:
        """Returns a line with command, size and files."""
        files = ", ".join(self.files)
        note = f" ({self.optional})" if self.optional else ""
        return f"{self.command or 'no download':42} {self.size:>11}  {files}{note}"


def list_missing_files(
    experiments: Iterable[Experiment], splits: Sequence[str], root: Path
) -> list[MissingFiles]:
    """Returns the missing files of some experiments, grouped by command.

    A missing subset without its complete file is listed after the download of that
    file.

    Args:
        experiments: the experiments to train.
        splits: splits on which the runs are evaluated. Their files are optional unless
            training reads them.
        root: the data root.
    """
    required: dict[str, None] = {}
    evaluated: dict[str, None] = {}
    needs_wordnet = False
    for experiment in experiments:
        data = experiment.data
        required |= dict.fromkeys(data.training_files.values())
        if experiment.family.has_word_vectors and experiment.embedding.path:
            required[experiment.embedding.path] = None
        evaluated |= dict.fromkeys(filter(None, map(data.file, splits)))
        needs_wordnet |= any(
            GROUPS[name].without_wordnet for name in experiment.features.names
        )
    groups: dict[str, MissingFiles] = {}
    for files, optional in ((required, ""), (evaluated, EVALUATION)):
        for file in files:
            if optional and file in required:
                continue
            if not is_address(file) and not is_present(root, file):
                _add_file(groups, file, optional, root)
    if needs_wordnet and open_wordnet(root) is None:
        _add(groups, WORDNET, "wordnet/", "features without synonyms and hypernyms")
    return list(groups.values())


def _add_file(groups, file, optional, root):
    """Adds a missing file, and the source of a subset, to the groups."""
    name = find_subset(file)
    if name is None:
        _add(groups, find_download(file), file, optional)
        return
    source = SUBSETS[name].source
    if not is_present(root, source):
        _add(groups, find_download(source), source, optional)
    command = f"dsa subset {name}"
    groups[command] = MissingFiles(command, "", 0, 0, (file,), optional)


def _add(groups, download: Download | None, file, optional):
    """Adds a missing file to the group of its download. A file that is required makes
    the group required."""
    command = f"dsa download {download.name}" if download else ""
    known = groups.get(command)
    if known:
        if file not in known.files:
            groups[command] = dataclasses.replace(known, files=(*known.files, file))
        return
    size, count, room = "", 0, 0
    if download:
        size = download.describe_size()
        for remote in download.files:
            expected = remote.size or remote.max_bytes
            count += expected
            room += expected * (UNPACKED if remote.unpack else 1)
    groups[command] = MissingFiles(command, size, count, room, (file,), optional)
