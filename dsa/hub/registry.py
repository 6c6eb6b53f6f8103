"""The releases: which files they are, and their terms."""

import dataclasses

VARIABLE = "DSA_RELEASES"  # a folder or an address that has the files


@dataclasses.dataclass(frozen=True)
class Release:
    """A trained run as one file, a zip that `dsa.hub.release_file` has written.

    Args:
        name: that `dsa.load` takes.
        what: the run in words.
        terms: of its use, and those of the data that it has learned from.
        file: the file's name.
        sha256: of the file.
        bundled: whether the file is part of this package. No server has the others yet.
        training: the command that trains such a run.
    """

    name: str
    what: str
    terms: str
    file: str
    sha256: str
    bundled: bool = False
    training: str = ""


RELEASES = {
    release.name: release
    for release in (
        Release(
            "mini",
            "DSA on the bundled corpus, which has about a hundred words; seed 13",
            "Apache-2.0; the corpus too",
            file="mini.zip",
            sha256="53606e085fcaf0c01d494d9311eabf57a87662b551e72c581c0aea444c5a8ead",
            bundled=True,
            training="dsa train configs/mini/dsa.yaml",
        ),
        Release(
            "snli_40k",
            "DSA on 40,000 pairs of SNLI, 7 %, with 50-d GloVe vectors; seed 13",
            "Apache-2.0; SNLI: CC BY-SA 4.0, GloVe: PDDL",
            file="snli_40k.zip",
            sha256="d79df4816dec2842557fe8d46d9ba0f6b913bf7ee921272a74de2a1b5080b36c",
            training="dsa train results/snli/dsa_40k/config.yaml",
        ),
    )
}
