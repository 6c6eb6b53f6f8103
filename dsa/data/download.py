"""Corpora and word vectors from where their authors keep them.

Nothing is taken that is not what was expected: a file has a temporary name until its
sha256 is right, and an archive's members are written below the data root or not at all.
"""

import dataclasses
import json
import logging
import shutil
import zipfile
from pathlib import Path, PurePosixPath

import pooch
import requests

from dsa import environment
from dsa.atomic import write_atomically
from dsa.data.files import fingerprint
from dsa.errors import InputError

log = logging.getLogger(__name__)
RECORD = "downloads.json"
SECONDS_WITHOUT_DATA = 60


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to download.

    Attributes:
        url: the official address.
        size: bytes.
        licence: as the authors state it.
        sha256: of the file; `None` where no public source names it: then the one of
            the first download is recorded, and later downloads must have the same.
        sha256_source: who names it.
        folder: where the file or its members go, below the data root.
        unpack: whether it is a zip to be unpacked; vectors are read zipped.
    """

    url: str
    size: int
    licence: str
    sha256: str | None = None
    sha256_source: str | None = None
    folder: str = ""
    unpack: bool = True

    @property
    def filename(self):
        return PurePosixPath(self.url).name


# who names the sha256: repository and file
HF = "huggingface/datasets, datasets/{}/dataset_infos.json"
GLOVE = "JuliaText/Embeddings.jl, src/glove.jl"

SOURCES = {
    "snli": [
        Source(
            "https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
            94_550_081,
            "CC BY-SA 4.0",
            "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
            HF.format("snli"),
        )
    ],
    "multinli": [
        Source(
            "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip",
            226_850_426,
            "OANC and others, see its paper",
            "049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
            HF.format("multi_nli"),
        )
    ],
    "glove.840B.300d": [
        Source(
            "https://nlp.stanford.edu/data/glove.840B.300d.zip",
            2_176_768_927,
            "PDDL",
            "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
            GLOVE,
            unpack=False,
        )
    ],
    "glove.6B": [
        Source(
            "https://nlp.stanford.edu/data/glove.6B.zip",
            862_182_613,
            "PDDL",
            "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
            GLOVE,
            unpack=False,
        )
    ],
    "sick": [
        Source(
            "https://zenodo.org/record/2787612/files/SICK.zip",
            217_584,
            "CC BY-NC-SA 3.0",
            "da272af924399fc2de4889ed55383e38822c10d16c4a949a89d597d09a0b7912",
            HF.format("sick"),
            folder="sick",
        )
    ],
    "sst": [
        Source(
            "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
            789_539,
            "not stated",
            "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
            "FluxML/Flux.jl, src/data/sentiment.jl",
            folder="sst",
        )
    ],
    "trec": [
        Source(
            "https://cogcomp.seas.upenn.edu/Data/QA/QC/train_5500.label",
            335_858,
            "not stated",
            "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
            HF.format("trec"),
            folder="trec",
            unpack=False,
        ),
        Source(
            "https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label",
            23_354,
            "not stated",
            "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
            HF.format("trec"),
            folder="trec",
            unpack=False,
        ),
    ],
}

MANUAL = {
    "multinli_test": """\
MultiNLI's test files without labels need a Kaggle login:
  1. join https://www.kaggle.com/c/multinli-matched-open-evaluation and
     https://www.kaggle.com/c/multinli-mismatched-open-evaluation
  2. download multinli_0.9_test_matched_unlabeled.jsonl (9,796 rows) and
     multinli_0.9_test_mismatched_unlabeled.jsonl (9,847 rows)
  3. put them into multinli_1.0/ below the data root"""
}


def download(name, root):
    """Download what goes by a name in `SOURCES`, unless it is there.

    Args:
        name: a key of `SOURCES`.
        root: the data root.

    Returns: the files, a list of paths.

    Raises: `InputError` for a server that does not answer or has no such file, a cut
        connection, a file with another sha256 than expected, and an archive with a
        member that would be written outside its folder. Nothing of it stays.
    """
    files = []
    for source in SOURCES[name]:
        files += _one(source, Path(root))
    return files


def _one(source, root):
    record = _record(root)
    known = record.get(source.url, {})
    there = [root / file for file in known.get("files", [])]
    if there and all(path.is_file() for path in there):
        log.info("%s: there already", source.filename)
        return there
    folder = root / source.folder
    archive = _fetch(source, folder, known.get("sha256"))
    digest = fingerprint(archive)
    if source.sha256 is None and "sha256" not in known:
        log.warning(
            "%s: no public source names its sha256; recorded as found: %s",
            source.filename,
            digest,
        )
    if source.unpack:
        try:
            files = unpack(archive, folder)
        finally:
            archive.unlink()
    else:
        files = [archive]
    record[source.url] = {
        "sha256": digest,
        "sha256_from": source.sha256_source or "the first download",
        "date": environment.now(),
        "files": [file.relative_to(root).as_posix() for file in files],
    }
    write_atomically(root / RECORD, json.dumps(record, indent=1) + "\n")
    return files


def _record(root):
    try:
        return json.loads((root / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise InputError(f"{root / RECORD}: not JSON: {error}") from error


def _fetch(source, folder, recorded):
    expected = source.sha256 or recorded
    pooch.get_logger().setLevel(logging.WARNING)  # it tells how to call pooch
    try:
        path = pooch.retrieve(
            source.url,
            expected and f"sha256:{expected}",
            source.filename,
            folder,
            downloader=pooch.HTTPDownloader(
                progressbar=True, timeout=SECONDS_WITHOUT_DATA
            ),
        )
    except requests.RequestException as error:
        raise InputError(_by_hand(source, _reason(error))) from error
    except ValueError as error:  # pooch's, for another hash
        raise InputError(
            f"{source.url}: not the expected file: its sha256 is not {expected}. The "
            "connection was cut, or the file is another one now; nothing was kept"
        ) from error
    return Path(path)


def _by_hand(source, reason):
    how = " and unpack it there" if source.unpack else ""
    place = (
        f"{source.folder}/ below the data root" if source.folder else "the data root"
    )
    return (
        f"{source.url} could not be downloaded ({reason}). By hand: download it "
        f"elsewhere, check that its sha256 is {source.sha256 or '(not known)'}, put it "
        f"into {place}{how}"
    )


def _reason(error):
    if error.response is not None:
        return f"the server answers {error.response.status_code}"
    return type(error).__name__


def unpack(archive, folder):
    """Write the members of a zip below a folder, those that are somebody's litter
    (`__MACOSX/`, `.DS_Store`, macOS's `Icon`) apart.

    Returns: their paths.

    Raises: `InputError` for a damaged archive, and before anything is written for a
        member that would be written elsewhere.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [each for each in packed.infolist() if _is_wanted(each)]
            for member in members:
                _refuse_escape(member.filename, archive)
            damaged = packed.testzip()
            if damaged:
                raise InputError(f"{archive.name}: damaged archive: {damaged}")
            return [_write_member(packed, member, folder) for member in members]
    except (zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"{archive.name}: damaged archive: {error}") from error


def _is_wanted(member):
    path = PurePosixPath(member.filename)
    litter = "__MACOSX" in path.parts or path.name in (".DS_Store", "Icon\r")
    return not (member.is_dir() or litter)


def _refuse_escape(name, archive):
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputError(f"{archive.name}: refused: its member {name!r} leads outside")


def _write_member(packed, member, folder):
    path = folder / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with packed.open(member) as content, open(temporary, "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)

    write_atomically(path, write, room=member.file_size)
    return path
