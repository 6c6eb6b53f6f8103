"""A difference between a released code and a config here."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Difference:
    """One thing that a released code does otherwise.

    Args:
        what: it is about.
        code: what the code does.
        setting: our setting that decides it, such as "model.dropout"; `None` where
            there is none.
        value: the setting's value that does as the code.
        here: what is done here, where there is no setting.
    """

    what: str
    code: str
    setting: str | None = None
    value: object = None
    here: str | None = None


@dataclasses.dataclass(frozen=True)
class ReleasedCode:
    """A released code beside configs of ours.

    Args:
        config: ours, below `configs/`.
        released: the config that does as the code as far as settings can; `None` for
            none.
        differences: a tuple of `Difference`.
    """

    config: str
    released: str | None
    differences: tuple[Difference, ...]


BRACKETS = Difference(
    "brackets in a parse", "stay `-LRB-`", "tokenizer.keep_brackets", True
)
