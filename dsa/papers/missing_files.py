"""Missing files of the runs of a table, and the commands that download them."""

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

UNPACKED = 6  # size of an archive and its files, relative to the archive
EVALUATION = "only for evaluation, which is skipped without it"


@dataclasses.dataclass(frozen=True)
class MissingFiles:
    """Missing files that are written by the same command.

    Args:
        command: command such as "dsa download snli"; "" if no command writes the files.
        size: size of the download as text; "" without a download.
        download_bytes: size of the download; 0 if it is unknown.
        disk_bytes: disk space of the download and its unpacked files.
        files: paths relative to the data root.
        optional: effect of training without the files; "" for required files.
    """

    command: str
    size: str
    download_bytes: int
    disk_bytes: int
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
    """Returns the missing files of experiments, grouped by command.

    A missing subset is listed after the download of its complete file.

    Args:
        experiments: the experiments to train.
        splits: splits for the evaluation of the runs. Their files are optional unless
            they are also read in training.
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
        files = [data.file(split) for split in splits]
        evaluated |= dict.fromkeys(file for file in files if file)
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
    groups[command] = MissingFiles(
        command=command,
        size="",
        download_bytes=0,
        disk_bytes=0,
        files=(file,),
        optional=optional,
    )


def _add(groups, download: Download | None, file, optional):
    """Adds a missing file to the group of its download.

    Required files must be added before optional files, because `optional` is taken from
    the first file of a group.
    """
    command = f"dsa download {download.name}" if download else ""
    group = groups.get(command)
    if group:
        if file not in group.files:
            groups[command] = dataclasses.replace(group, files=(*group.files, file))
        return
    size = download.describe_size() if download else ""
    download_bytes = disk_bytes = 0
    for remote in download.files if download else ():
        expected = remote.size or remote.max_bytes
        download_bytes += expected
        disk_bytes += expected * UNPACKED if remote.unpack else expected
    groups[command] = MissingFiles(
        command=command,
        size=size,
        download_bytes=download_bytes,
        disk_bytes=disk_bytes,
        files=(file,),
        optional=optional,
    )
