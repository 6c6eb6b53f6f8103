"""Missing files of the runs of a table, with the commands that download them."""

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

UNPACKED_RATIO = 6  # disk space of an archive and its files, relative to the archive
EVALUATION_NOTE = "only for evaluation, which is skipped without it"


@dataclasses.dataclass(frozen=True)
class MissingFiles:
    """Missing files that are written by the same command.

    Args:
        command: command such as "dsa download snli"; "" if no command writes the files.
        size: size of the download as text; "" without a download.
        download_bytes: size of the download; 0 if it is unknown.
        disk_bytes: disk space of the download and its unpacked files.
        files: paths relative to the data root.
        optional: consequence of training without the files; "" for required files.
    """

    command: str
    size: str
    download_bytes: int
    disk_bytes: int
    files: tuple[str, ...]
    optional: str = ""

    def describe(self) -> str:
        """Returns one line of text with the command, the size and the files."""
        files = ", ".join(self.files)
        note = f" ({self.optional})" if self.optional else ""
        return f"{self.command or 'no download':42} {self.size:>11}  {files}{note}"


def list_missing_files(
    experiments: Iterable[Experiment], splits: Sequence[str], root: Path
) -> list[MissingFiles]:
    """Returns the missing files of experiments, grouped by command.

    A missing subset is listed after the download of its source file.

    Args:
        experiments: the experiments to train.
        splits: splits on which the runs are evaluated. Their files are optional unless
            they are also read in training.
        root: the data root.
    """
    required: list[str] = []
    evaluated: list[str] = []
    needs_wordnet = False
    for experiment in experiments:
        data = experiment.data
        required += data.training_files.values()
        if experiment.family.has_word_vectors and experiment.embedding.path:
            required.append(experiment.embedding.path)
        for split in splits:
            file = data.file(split)
            if file:
                evaluated.append(file)
        if any(GROUPS[name].without_wordnet for name in experiment.features.names):
            needs_wordnet = True
    groups: dict[str, MissingFiles] = {}
    for file in dict.fromkeys(required):
        _add_if_missing(groups, file, "", root)
    for file in dict.fromkeys(evaluated):
        if file not in required:
            _add_if_missing(groups, file, EVALUATION_NOTE, root)
    if needs_wordnet and open_wordnet(root) is None:
        note = "features without synonyms and hypernyms"
        _add_to_download(groups, WORDNET, "wordnet/", note)
    return list(groups.values())


def _add_if_missing(
    groups: dict[str, MissingFiles], file: str, optional: str, root: Path
) -> None:
    """Adds a file to the groups if it is missing, with the source file of a subset."""
    if is_address(file) or is_present(root, file):
        return
    name = find_subset(file)
    if name is None:
        _add_to_download(groups, find_download(file), file, optional)
        return
    source = SUBSETS[name].source
    if not is_present(root, source):
        _add_to_download(groups, find_download(source), source, optional)
    command = f"dsa subset {name}"
    groups[command] = MissingFiles(
        command=command,
        size="",
        download_bytes=0,
        disk_bytes=0,
        files=(file,),
        optional=optional,
    )


def _add_to_download(
    groups: dict[str, MissingFiles],
    download: Download | None,
    file: str,
    optional: str,
) -> None:
    """Adds a missing file to the group of its download.

    Required files must be added before optional files, because the first file of a
    group determines `MissingFiles.optional`.
    """
    command = f"dsa download {download.name}" if download else ""
    group = groups.get(command)
    if group:
        if file not in group.files:
            groups[command] = dataclasses.replace(group, files=(*group.files, file))
        return
    size = ""
    download_bytes = 0
    disk_bytes = 0
    if download:
        size = download.describe_size()
        for remote_file in download.files:
            file_bytes = remote_file.size or remote_file.max_bytes
            download_bytes += file_bytes
            if remote_file.unpack:
                file_bytes *= UNPACKED_RATIO
            disk_bytes += file_bytes
    groups[command] = MissingFiles(
        command=command,
        size=size,
        download_bytes=download_bytes,
        disk_bytes=disk_bytes,
        files=(file,),
        optional=optional,
    )
