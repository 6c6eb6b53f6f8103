"""An extension of griffe: docstrings of this project as Markdown, for the site.

"Args:" becomes a list, "Example:" a block of code, and "Returns:", "Raises:" and the
like paragraphs. griffe's own reader of such sections wants a type in each.
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
    """Rewrites each docstring once it was read."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text):
    """A docstring whose sections are Markdown."""
    text = EXAMPLE.sub(
        lambda found: f"```python\n{textwrap.dedent(found[1]).rstrip()}\n```\n", text
    )
    text = LIST.sub(lambda found: f"**{found[1]}**\n\n{as_list(found[2])}\n", text)
    return PARAGRAPH.sub(r"**\1** ", text)


def as_list(block):
    """`name: text` of each argument as an item; deeper lines go on with it."""
    return re.sub(r"^ {4}(?=\S)([^:\n]*):", r"- `\1`:", block, flags=re.M)
