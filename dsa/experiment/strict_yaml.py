"""Parses YAML strictly, and converts Python values to the types of YAML."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError

from dsa.errors import InputError
from dsa.parsing import shorten

NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
PLAIN_NUMBER = re.compile(  # such as 50_000, but not 013, 1:30 or 1_0
    r"""[-+]? ( 0 | [1-9][0-9]* | [1-9][0-9]{0,2}(_[0-9]{3})+ | 0x[0-9a-fA-F]+ | 0b[01]+
    | ([0-9]+\.[0-9]* | \.[0-9]+) ([eE][-+]?[0-9]+)? | \.(inf|Inf|INF|nan|NaN|NAN) )""",
    re.VERBOSE,
)
MAX_CHARACTERS = 10**6  # maximum length of a YAML text
MAX_NODES = 10**5  # maximum number of nodes after the expansion of aliases

MERGE_TAG = "tag:yaml.org,2002:merge"  # of the key `<<`

# libyaml, which PyYAML usually includes, is several times as fast
SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(SafeLoader, Composer):
    """YAML loader that rejects duplicate keys, ambiguous numbers and huge expansions.

    PyYAML keeps the last of two equal keys. YAML 1.1 reads `013` as 11 and `1:30` as
    90.
    """

    def __init__(self, stream):
        SafeLoader.__init__(self, stream)
        Composer.__init__(self)

    def get_single_node(self):
        # `get_single_node` of libyaml does not call `compose_mapping_node`
        node = Composer.get_single_node(self)
        if node is not None:
            _count_nodes(node, {})
        return node

    def compose_mapping_node(self, anchor):
        node = super().compose_mapping_node(anchor)
        keys = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                continue
            key = key_node.value
            if key_node.tag != MERGE_TAG:
                key = self.construct_object(key_node)  # `yes` and `true` are equal
            if not isinstance(key, Hashable):
                continue  # the constructor of the mapping rejects the key
            if key in keys:
                raise ConstructorError(
                    None,
                    None,
                    f"key '{key_node.value}' is given twice",
                    key_node.start_mark,
                )
            keys.add(key)
        return node

    def construct_scalar(self, node):
        if node.tag in NUMBER_TAGS and not PLAIN_NUMBER.fullmatch(node.value):
            raise ConstructorError(
                None,
                None,
                f"{shorten(node.value)} is an ambiguous number: write decimal "
                "digits, or quotation marks around a text",
                node.start_mark,
            )
        return super().construct_scalar(node)


def parse_yaml(text: str, source: str | Path) -> Any:
    """Returns the content of a YAML text. Each alias becomes a separate copy.

    Args:
        text: the YAML text.
        source: name of the text, for error messages.

    Raises: `InputError` for invalid YAML, with the line if PyYAML reports one.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"{source}: longer than {MAX_CHARACTERS:,} characters")
    try:
        return _copy(yaml.load(text, Loader=_Loader))  # noqa: S506, a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{source}{line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise InputError(f"{source}: not readable as YAML: {reason}") from error


def _count_nodes(node, counts):
    """Returns the number of nodes of the tree below a node, including the node, with
    aliases expanded.

    Args:
        node: a node of PyYAML.
        counts: cached counts by node; `None` for the ancestors of the node.

    Raises: `ConstructorError` if an alias contains itself, or if there are more than
        `MAX_NODES` nodes.
    """
    if node in counts:
        if counts[node] is None:
            raise ConstructorError(
                None, None, "an alias contains itself", node.start_mark
            )
        return counts[node]
    counts[node] = None
    count = 1
    if isinstance(node, yaml.SequenceNode):
        count += sum(_count_nodes(item, counts) for item in node.value)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            count += _count_nodes(key, counts) + _count_nodes(value, counts)
    if count > MAX_NODES:
        raise ConstructorError(
            None,
            None,
            f"more than {MAX_NODES:,} keys and values, with aliases expanded",
            node.start_mark,
        )
    counts[node] = count
    return count


def _copy(value):
    """Returns a deep copy without shared dictionaries or lists."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


def to_yaml_types(value: Any) -> Any:
    """Converts settings to the types of YAML.

    Mappings become dictionaries, tuples and NumPy arrays become lists, paths become
    text, and NumPy scalars become Python scalars. Containers are copied; other values
    are returned unchanged.

    Example:
        >>> to_yaml_types({"labels": (0, 1), "train": PurePath("a/train.csv")})
        {'labels': [0, 1], 'train': 'a/train.csv'}
    """
    if isinstance(value, Mapping):
        return {key: to_yaml_types(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_yaml_types(item) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    return value
