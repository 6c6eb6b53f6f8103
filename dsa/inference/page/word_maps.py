"""Renders sentences as HTML, with words colored by attention weights or other values.

`STYLE` and `SCRIPT` contain the CSS and JavaScript of the words.
"""

import html
from collections.abc import Iterable

import numpy as np

from dsa.analysis.map_views import collect_maps, collect_token_values
from dsa.errors import InputError
from dsa.explanation import MAX_WORDS, Explanation

AVERAGE = "average"
# --share is 1 for the largest weight. Orange is safe for color-blind readers
STYLE = """
.words { line-height: 1.2; margin: .2em 0 .6em }
.words span { display: inline-block; padding: .15em .35em; border-radius: .25em;
  background: color-mix(in srgb, #e69f00 calc(var(--share, 0) * 85%), transparent) }
.words .unknown { font-style: italic; text-decoration: underline dotted }
.words .pointed { outline: 2px solid }
.words [data-key] { cursor: pointer }
.seen span::after { content: attr(data-percent); display: block; font-size: .7em;
  min-height: 1.2em; text-align: center }
.map-name { font-size: .85em; opacity: .75; margin: 0 }
"""
# Displays the weights of the word under the pointer in all maps, else the average
SCRIPT = """<script>
const show = event => {
  const key = event.target.closest?.('[data-key]')?.dataset.key;
  for (const map of document.querySelectorAll('.map')) {
    const pointed = key && map.querySelector(`[data-key="${key}"]`);
    const weights = (pointed || map).dataset.weights.split(' ').map(Number);
    const most = Math.max(...weights, 1);
    map.querySelector('.pointed')?.classList.remove('pointed');
    if (pointed) pointed.classList.add('pointed');
    [...map.querySelectorAll('.seen span')].forEach((word, number) => {
      word.style.setProperty('--share', weights[number] / most);
      word.dataset.percent = Math.round(weights[number] / 10) + '%';
    });
  }
};
for (const kind of ['pointerover', 'focusin']) document.addEventListener(kind, show);
</script>"""


def list_map_names(explanations: Iterable[Explanation]) -> tuple[list[str], list[str]]:
    """Returns the options of the two switches of the page.

    Args:
        explanations: the `Explanation`s of all runs.

    Returns: the distinct names of the maps, such as "forward"; and the names of the
        heads, `AVERAGE` followed by the numbers of the heads from 1.
    """
    names = []
    max_heads = 0
    for explanation in explanations:
        for sentence in explanation.tokens:
            for name, token_map in collect_maps(explanation.of(sentence)).items():
                names.append(name)
                max_heads = max(max_heads, len(token_map.by_head()))
    heads = [AVERAGE, *map(str, range(1, max_heads + 1))]
    return list(dict.fromkeys(names)), heads


def render_maps(explanation: Explanation, name: str | None, head: str) -> str:
    """Renders the selected attention map of each sentence as HTML.

    Args:
        explanation: the `Explanation` of a pair or a sentence.
        name: name of the map, see `list_map_names`. Sentences without this map are
            omitted.
        head: name of the head, see `list_map_names`. A map without this head is
            averaged over its heads.

    Raises: `InputError` if a sentence has too many tokens.
    """
    maps = []
    for sentence in explanation.tokens:
        token_map = collect_maps(explanation.of(sentence)).get(name or "")
        if token_map is not None:
            maps.append(_render_map(token_map, head, explanation.unknown))
    return "\n".join(maps)


def render_numbers(explanation: Explanation) -> str:
    """Renders the values of the tokens of each sentence, such as gates, as HTML."""
    parts = []
    for sentence, tokens in explanation.tokens.items():
        parts.append(f"<h3>{html.escape(sentence)}</h3>")
        for name, values in collect_token_values(explanation.of(sentence)).items():
            low = float(min(values))
            high = float(max(values))
            title = f"{name}: {low:.3f} (white) to {high:.3f} (orange)"
            value_range = (high - low) or 1
            attributes = []
            for value in values:
                share = (value - low) / value_range
                attributes.append(f'title="{value:.4f}" style="--share: {share:.3f}"')
            parts.append(_render_line(title, tokens, attributes, explanation.unknown))
    return "\n".join(parts)


def _render_map(token_map, head, unknown):
    """Renders an attention map as HTML.

    The attributes of each query word contain its attention weights in thousandths. If
    the keys are the words of another sentence, they form a second line.

    Args:
        token_map: the attention map.
        head: name of the head, see `list_map_names`.
        unknown: words to mark as unknown.

    Raises: `InputError` if a sentence has too many tokens.
    """
    for tokens in (token_map.tokens, token_map.looked_at):
        if len(tokens) > MAX_WORDS:
            raise InputError(
                f"attention maps are limited to {MAX_WORDS} words. Received: "
                f"{len(tokens):,} tokens"
            )
    weights = token_map.average()
    heads = token_map.by_head()
    if head != AVERAGE and int(head) <= len(heads):
        weights = heads[int(head) - 1]
    average = weights.mean(axis=0)
    sentence = html.escape(str(token_map.sentence))
    pointers = [
        f'tabindex="0" data-key="{sentence}-{number}" '
        f'data-weights="{_to_thousandths(row)}"'
        for number, row in enumerate(weights)
    ]
    largest = float(average.max()) or 1.0
    shares = [
        f'style="--share: {weight / largest:.3f}" data-percent="{100 * weight:.0f}%"'
        for weight in average
    ]
    if token_map.over is None:
        attributes = [
            f"{pointer} {share}"
            for pointer, share in zip(pointers, shares, strict=True)
        ]
        lines = _render_line(
            token_map.sentence, token_map.tokens, attributes, unknown, "seen"
        )
    else:
        lines = _render_line(token_map.sentence, token_map.tokens, pointers, unknown)
        lines += _render_line(
            token_map.over, token_map.looked_at, shares, unknown, "seen"
        )
    return f'<div class="map" data-weights="{_to_thousandths(average)}">{lines}</div>'


def _to_thousandths(weights):
    """Formats weights as integers in units of 1/1000, separated by spaces."""
    return " ".join(str(number) for number in np.rint(1000 * weights).astype(int))


def _render_line(title, tokens, attributes, unknown, css_class=""):
    """Renders the words of a sentence below a title.

    Args:
        title: text above the words.
        tokens, attributes: the words, and the HTML attributes of each word.
        unknown: words to mark as unknown.
        css_class: additional CSS class of the line.
    """
    words = []
    for token, attribute in zip(tokens, attributes, strict=True):
        mark = 'class="unknown" ' if token in unknown else ""
        words.append(f"<span {mark}{attribute}>{html.escape(token)}</span>")
    return (
        f'<p class="map-name">{html.escape(str(title))}</p>'
        f'<p class="words {css_class}">{" ".join(words)}</p>'
    )
