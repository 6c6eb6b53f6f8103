"""YAML in which nothing is other than it seems."""

import re

import yaml
from yaml.composer import ComposerError

from dsa.config_section import shorten
from dsa.errors import InputError

NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
PLAIN_NUMBER = re.compile(  # 50_000 is one, 013, 1:30 and 1_0 are not
    r"""[-+]? ( 0 | [1-9][0-9]* | [1-9][0-9]{0,2}(_[0-9]{3})+ | 0x[0-9a-fA-F]+ | 0b[01]+
    | ([0-9]+\.[0-9]* | \.[0-9]+) ([eE][-+]?[0-9]+)? | \.(inf|Inf|INF|nan|NaN|NAN) )""",
    re.VERBOSE,
)


class _Loader(yaml.SafeLoader):
    """YAML without what an experiment has no use for: a key given twice (PyYAML keeps
    the last one silently), aliases (a few lines of them fill the memory), and numbers
    that are not what they seem: in YAML 1.1 `013` is 11, `1:30` is 90."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise ComposerError(
                None, None, "aliases are not supported", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_scalar(self, node):
        if node.tag in NUMBER_TAGS and not PLAIN_NUMBER.fullmatch(node.value):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{shorten(node.value)} is no plain number: write decimal digits, or "
                "quotation marks around a text",
                node.start_mark,
            )
        return super().construct_scalar(node)

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key.value}' is given twice", key.start_mark
                )
            seen.add(key.value if isinstance(key.value, str) else id(key))
        return super().construct_mapping(node, deep)


def parse_yaml(text, source):
    """The content of a YAML text; `source` names it in errors.

    Raises: `InputError`, with the line where one is known.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506, a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{source}{line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise InputError(f"{source}: not readable as YAML: {reason}") from error
