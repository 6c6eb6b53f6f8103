"""A web page that shows what one or two runs of a task looked at; needs Gradio."""

import html
import threading

import gradio as gr
import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dsa.analysis import plots
from dsa.analysis.case_study import by_word, of_sentence
from dsa.analysis.plots import attention_views
from dsa.errors import InputError

EXAMPLE = ("A lady stands outside of a Mexican market.", "A woman is shopping.")
DARK = 0.5  # luminance below which letters are white
# nothing is loaded from, or sent to, anywhere else
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)


def build_page(runs):
    """The page over `{run name: TrainedModel}`, of one task, as `gradio.Blocks`."""
    task = next(iter(runs.values())).task
    lock = threading.Lock()  # a model that meets new words is replaced
    example = EXAMPLE[: len(task.inputs)]
    looks = [of_sentence(e.explain(*example), task.inputs[0]) for e in runs.values()]
    views = list(dict.fromkeys(view for each in looks for view in _views(each)))

    def look(sentence, view, *texts):
        try:
            with lock:
                named = {name: each.explain(*texts) for name, each in runs.items()}
        except InputError as error:
            return [_note(str(error)), *[None] * (2 * len(runs)), ""]
        labels = [
            dict(zip(task.names, arrays["probabilities"].tolist(), strict=True))
            for arrays in named.values()
        ]
        words = {name: of_sentence(arrays, sentence) for name, arrays in named.items()}
        other = task.inputs[task.inputs.index(sentence) - 1]  # of one alone: itself
        looked_at = {name: arrays[f"{other}.tokens"] for name, arrays in named.items()}
        note, pictures = _pictures(words, looked_at, view)
        scores = [
            f"{name}: score {arrays['score']:.2f}"
            for name, arrays in named.items()
            if "score" in arrays
        ]
        note = ". ".join(filter(None, [*scores, note]))
        return [_note(note), *labels, *pictures, _colored(named, task.inputs)]

    with gr.Blocks(title="dsa", analytics_enabled=False) as page:
        gr.Markdown("# What does the model look at?")
        with gr.Row():
            texts = [
                gr.Textbox(example, label=name, elem_id=name)
                for name, example in zip(task.inputs, EXAMPLE, strict=False)
            ]
        button = gr.Button("Look", variant="primary", elem_id="look")
        note = gr.HTML(elem_id="note")
        with gr.Row():
            labels = [
                gr.Label(label=name, elem_id=f"label-{number}")
                for number, name in enumerate(runs, start=1)
            ]
        with gr.Row():
            sentence = gr.Radio(task.inputs, value=task.inputs[0], label="attention in")
            view = gr.Radio(
                views, value=next(iter(views), None), label="maps", elem_id="view"
            )
        with gr.Row():
            pictures = [
                gr.Image(
                    label=name,
                    format="png",
                    buttons=["download", "fullscreen"],
                    interactive=False,
                    elem_id=f"maps-{number}",
                )
                for number, name in enumerate(runs, start=1)
            ]
        colored = gr.HTML(elem_id="words")
        gr.on(
            [
                button.click,
                *(text.submit for text in texts),
                sentence.change,
                view.change,
            ],
            look,
            [sentence, view, *texts],
            [note, *labels, *pictures, colored],
        )
    return page


def application(page):
    """The page as an ASGI application whose browser may speak to nobody else."""
    from fastapi import FastAPI

    app = FastAPI()

    @app.middleware("http")
    async def with_policy(request, call_next):
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = POLICY
        return response

    theme = gr.themes.Base(
        font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
    )
    return gr.mount_gradio_app(
        app, page, path="/", theme=theme, ssr_mode=False, footer_links=[]
    )


def _views(named):
    """`attention_views`, and of a joint model the alignment."""
    words = by_word(named)
    views = attention_views(words)
    if "alignment" in words:
        views["alignment"] = {"alignment": words["alignment"]}
    return views


def _pictures(words, looked_at, view):
    """A note where there is nothing to draw, and each run's maps as RGB arrays.
    `looked_at`: the tokens of the other sentence, by run."""
    maps = {name: _views(named).get(view, {}) for name, named in words.items()}
    weights = [each for run in maps.values() for each in run.values()]
    largest = max((float(each.max(initial=0)) for each in weights), default=None)
    pictures = []
    for name, named in words.items():
        if not maps[name]:
            pictures.append(None)
            continue
        columns = {"average": 2, "alignment": 1}.get(view, 3)
        try:
            tokens = named["tokens"].tolist()
            figure = plots.attention_maps(
                tokens,
                maps[name],
                columns,
                largest=largest,
                looked_at=looked_at[name].tolist() if view == "alignment" else None,
            )
        except InputError as error:
            return str(error), [None] * len(words)
        pictures.append(_rendered(figure))
    return "", pictures


def _rendered(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def _note(text):
    return f"<p>{html.escape(text)}</p>" if text else ""


def _colored(named, sentences):
    """Gates, feed-forward block and pooling as words on colours, for every run and
    sentence."""
    parts = []
    for run, arrays in named.items():
        for sentence in sentences:
            parts.append(f"<h3>{html.escape(run)}: {sentence}</h3>")
            words = of_sentence(arrays, sentence)
            numbers = by_word(words)
            for key, name in plots.WORD_PANELS:
                if key in numbers:
                    parts.append(_line(name, words["tokens"].tolist(), numbers[key]))
    return "\n".join(parts)


def _line(name, tokens, values):
    low, high = float(min(values)), float(max(values))
    spans = []
    for token, value in zip(tokens, values, strict=True):
        share = (float(value) - low) / (high - low) if high > low else 0.0
        red, green, blue, _ = colormaps[plots.MAP](share, bytes=True)
        luminance = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
        style = (
            f"background: rgb({red}, {green}, {blue}); padding: 0 .3em; "
            f"color: {'white' if luminance < DARK else 'black'}"
        )
        spans.append(
            f'<span title="{value:.4f}" style="{style}">{html.escape(token)}</span>'
        )
    title = f"{' '.join(name.split())}, {low:.3f} (dark) to {high:.3f} (light)"
    return f"<p><small>{html.escape(title)}</small><br>{' '.join(spans)}</p>"
