"""Which features a run has."""

import dataclasses
import difflib

from dsa.data.pair_features.groups import GROUPS
from dsa.errors import InputError

IDF_FORMS = ("log", "inverse")


@dataclasses.dataclass(frozen=True)
class FeatureSettings:
    """Which features a run has, and how they are computed.

    Attributes:
        names: keys of `GROUPS`; the features have their order.
        idf: the form of `DocumentFrequency.inverse`.
        antonym_cosine: the vectors of antonyms have a larger cosine.
        antonym_stop_words: whether stop words can be antonyms.

    Raises: `InputError` for an unknown name or form, and for a name given twice.
    """

    names: tuple[str, ...]
    idf: str = "log"
    antonym_cosine: float = 0.4
    antonym_stop_words: bool = True

    def __post_init__(self):
        for name in self.names:
            if name not in GROUPS:
                near = difflib.get_close_matches(name, GROUPS, n=1)
                hint = f"Did you mean '{near[0]}'? " if near else ""
                raise InputError(
                    f"unknown features '{name}'. {hint}Known: {', '.join(GROUPS)}"
                )
        if len(set(self.names)) < len(self.names):
            raise InputError(f"features named twice: {', '.join(self.names)}")
        if self.idf not in IDF_FORMS:
            raise InputError(f"unknown idf '{self.idf}'. Known: {', '.join(IDF_FORMS)}")

    @property
    def groups(self):
        """The named groups, in order."""
        return [GROUPS[name] for name in self.names]

    @property
    def statistics(self):
        """The names of the statistics that they need, a set."""
        return {group.statistic for group in self.groups} - {""}

    @property
    def without_wordnet(self):
        """What is otherwise where there is no WordNet, a list of texts."""
        return [g.without_wordnet for g in self.groups if g.without_wordnet]
