"""The words of a sentence as HTML: colored by what one of them looks at, or by a number
of their own; with the style and the script that the page needs for it."""

import html

import numpy as np

from dsa.analysis.map_views import collect_maps, collect_word_numbers
from dsa.analysis.word_plots import check_readable_length
from dsa.explanation import Explanation, TokenMap

AVERAGE = "average"
# --share: 1 for the word with the most weight. Orange is told from white by everyone
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
# What the pointed word looks at, in all maps; elsewhere each map's average.
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


def name_maps(look: Explanation) -> tuple[list[str], list[str]]:
    """Returns the names of the maps of an explanation's sentences, and of their heads
    after `AVERAGE`."""
    maps = [
        item for name in look.tokens for item in collect_maps(look.of(name)).items()
    ]
    most = max((len(one.by_head()) for _, one in maps), default=0)
    heads = [AVERAGE, *map(str, range(1, most + 1))]
    return list(dict.fromkeys(name for name, _ in maps)), heads


def write_maps(look: Explanation, name: str | None, head: str) -> str:
    """Writes one map of each sentence, for a pointer on its words.

    Args:
        name, head: of `name_maps`; a map without this head shows its average.

    Raises: `InputError` for a sentence of too many words.
    """
    shown = ((one, collect_maps(look.of(one)).get(name or "")) for one in look.tokens)
    return "\n".join(_write_map(one, head, look.unknown) for _, one in shown if one)


def write_numbers(look: Explanation) -> str:
    """Writes the gates, pooling weights and the like of each sentence."""
    parts = []
    for sentence, tokens in look.tokens.items():
        parts.append(f"<h3>{html.escape(sentence)}</h3>")
        for name, numbers in collect_word_numbers(look.of(sentence)).items():
            low, high = float(min(numbers)), float(max(numbers))
            title = f"{name}: {low:.3f} (white) to {high:.3f} (orange)"
            words = [
                _write_word(
                    token,
                    look.unknown,
                    f'title="{number:.4f}" '
                    f'style="--share: {(number - low) / ((high - low) or 1):.3f}"',
                )
                for token, number in zip(tokens, numbers, strict=True)
            ]
            parts.append(_write_line(title, words))
    return "\n".join(parts)


def _write_map(one: TokenMap, head, unknown):
    """A map as words that look, each with the weights of the words that it looks at in
    thousandths; the words of another sentence have a line of their own."""
    for words in (one.tokens, one.looked_at):
        check_readable_length(words)
    heads = {str(n): weights for n, weights in enumerate(one.by_head(), start=1)}
    weights = heads.get(head, one.average())
    average = weights.mean(axis=0)
    pointers = [
        f'tabindex="0" data-key="{html.escape(str(one.sentence))}-{number}" '
        f'data-weights="{_thousandths(row)}"'
        for number, row in enumerate(weights)
    ]
    most = float(average.max()) or 1.0
    seen = [
        f'style="--share: {share / most:.3f}" data-percent="{100 * share:.0f}%"'
        for share in average
    ]
    if one.over is None:
        both = [" ".join(pair) for pair in zip(pointers, seen, strict=True)]
        lines = [_line(one.sentence, one.tokens, both, unknown, "seen")]
    else:
        lines = [
            _line(one.sentence, one.tokens, pointers, unknown, ""),
            _line(one.over, one.looked_at, seen, unknown, "seen"),
        ]
    weights = _thousandths(average)
    return f'<div class="map" data-weights="{weights}">{"".join(lines)}</div>'


def _line(name, tokens, attributes, unknown, kind):
    words = [
        _write_word(token, unknown, more)
        for token, more in zip(tokens, attributes, strict=True)
    ]
    return _write_line(name, words, kind)


def _thousandths(weights):
    return " ".join(str(number) for number in np.rint(1000 * weights).astype(int))


def _write_word(token, unknown, attributes):
    kind = 'class="unknown" ' if token in unknown else ""
    return f"<span {kind}{attributes}>{html.escape(token)}</span>"


def _write_line(name, words, kind=""):
    return (
        f'<p class="map-name">{html.escape(str(name))}</p>'
        f'<p class="words {kind}">{" ".join(words)}</p>'
    )
