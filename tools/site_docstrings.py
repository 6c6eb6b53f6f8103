"""griffe extension that converts the docstrings of this project to Markdown.

"Args:" becomes a list, "Example:" a code block, and "Returns:", "Raises:" and similar
sections become paragraphs. The parser of griffe cannot be used, because it requires a
type in each section.
"""

import re
import textwrap

import griffe

LIST = re.compile(
    r"^(Args|Call arguments|Attributes):\n((?: {4}.*\n?|\n(?= {4}))+)", re.M
)
EXAMPLE = re.compile(r"^Example:\n((?: {4}.*\n?|\n(?= {4}))+)", re.M)
PARAGRAPH = re.compile(r"^(Returns|Yields|Raises|Reference): +", re.M)


class MarkdownDocstrings(griffe.Extension):
    """Converts each docstring after griffe has loaded it."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text):
    """Returns a docstring with its sections converted to Markdown."""
    text = EXAMPLE.sub(
        lambda match: f"```python\n{textwrap.dedent(match[1]).rstrip()}\n```\n", text
    )
    text = LIST.sub(lambda match: f"**{match[1]}**\n\n{as_list(match[2])}\n", text)
    return PARAGRAPH.sub(r"**\1** ", text)


def as_list(block):
    """Converts `name: text` lines to list items; indented lines continue an item."""
    return re.sub(r"^ {4}(?=\S)([^:\n]*):", r"- `\1`:", block, flags=re.M)
