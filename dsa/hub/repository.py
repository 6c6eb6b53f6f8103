"""The name of a repository on a Hugging Face hub: `user/name[@revision]`."""

import dataclasses
import re

from dsa.config_section import shorten
from dsa.errors import InputError

PREFIX = re.compile(r"hf:/{1,2}")  # a `Path` has one slash
PART = r"\w(?:[\w.-]*\w)?"
REPOSITORY = re.compile(f"{PART}/{PART}", re.ASCII)
REVISION = re.compile(r"\w(?:[\w./-]*\w)?", re.ASCII)
COMMIT = re.compile("[0-9a-f]{40}")
NEVER = ("..", "--", "//")  # in a name or a revision
LONGEST = 96  # letters of user and name
MAIN = "main"  # the branch that a repository begins with


@dataclasses.dataclass(frozen=True)
class Repository:
    """A repository, and one of its revisions.

    Args:
        name: `user/name`.
        revision: a branch, a tag or a commit; `None` for the branch `main`.
    """

    name: str
    revision: str | None = None

    @classmethod
    def parse(cls, text):
        """A repository from `user/name[@revision]`, with or without `hf://`.

        Raises: `InputError`.

        Example:
            >>> Repository.parse("hf://maria/snli@v1")
            Repository(name='maria/snli', revision='v1')
        """
        name, at, revision = PREFIX.sub("", str(text), count=1).partition("@")
        if (
            not REPOSITORY.fullmatch(name)
            or len(name) > LONGEST
            or name.endswith(".git")
            or any(part in name for part in NEVER[:2])
        ):
            raise InputError(
                f"no name of a repository: {shorten(str(text))}. Needed: user/name, or "
                "user/name@revision"
            )
        if at:
            check_revision(revision)
        return cls(name, revision if at else None)

    def __str__(self):
        return f"{self.name}@{self.revision}" if self.revision else self.name

    @property
    def commit(self):
        """The commit that the revision is; `None` for a branch or a tag, which can be
        another commit tomorrow."""
        is_commit = self.revision and COMMIT.fullmatch(self.revision)
        return self.revision if is_commit else None


def is_address(run):
    """Whether what names a run is the address of a repository, `hf://...`."""
    return bool(PREFIX.match(str(run)))


def check_revision(revision):
    """Raises an error for what is no name of a branch, a tag or a commit.

    Raises: `InputError`.
    """
    if not REVISION.fullmatch(revision) or any(part in revision for part in NEVER):
        raise InputError(f"no name of a revision: {shorten(revision)}")
