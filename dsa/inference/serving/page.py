"""A web page that shows what one or two runs of a task looked at; needs Gradio."""

import html

import gradio as gr
import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dsa.analysis import word_plots
from dsa.analysis.views import collect_views, collect_word_numbers
from dsa.errors import InputError
from dsa.explanation import describe_unknown
from dsa.inference.serving.batch_queue import BatchQueue
from dsa.inference.serving.local_only import LocalOnly
from dsa.inference.serving.page_example import choose_example

DARK = 0.5  # luminance below which letters are white
UNKNOWN_STYLE = "background: #dddddd; color: #777777; font-style: italic"
# the browser loads nothing from anywhere else, and sends nothing there
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)


def build_page(runs):
    """The page over `{run name: TrainedModel}`, of one task, as `gradio.Blocks`."""
    task = next(iter(runs.values())).task
    queue = BatchQueue(
        lambda kind, rows: [
            {name: model.explain(*texts) for name, model in runs.items()}
            for texts in rows
        ]
    )
    example = choose_example(list(runs.values()))
    first = [model.explain(*example).of(task.inputs[0]) for model in runs.values()]
    views = dict.fromkeys(view for look in first for view in collect_views(look))

    def look(sentence, view, *texts):
        try:
            (looks,) = queue.submit("explain", [texts]).result()
        except InputError as error:
            return [_note(str(error)), *[None] * (2 * len(runs)), ""]
        labels = [look.answer.probabilities for look in looks.values()]
        note, pictures = _draw_pictures(looks, sentence, view)
        scores = [
            f"{name}: score {look.answer.score:.2f}"
            for name, look in looks.items()
            if hasattr(look.answer, "score")
        ]
        unknown = [
            f"{name}: {words}"
            for name, look in looks.items()
            if (words := describe_unknown(look.unknown))
        ]
        note = ". ".join(filter(None, [*scores, *unknown, note]))
        return [_note(note), *labels, *pictures, _color_words(looks)]

    with gr.Blocks(title="dsa", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("# What does the model look at?")
        with gr.Row():
            texts = [
                gr.Textbox(text, label=name, elem_id=name)
                for name, text in zip(task.inputs, example, strict=True)
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
                list(views), value=next(iter(views), None), label="maps", elem_id="view"
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


def build_application(page):
    """The page as an ASGI application. A browser that shows it may ask no other
    address; who is not on this machine, or shows another page, is not answered."""
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
    mounted = gr.mount_gradio_app(
        app, page, path="/", theme=theme, ssr_mode=False, footer_links=[]
    )
    return LocalOnly(mounted)


def _draw_pictures(looks, sentence, name):
    """A note where there is nothing to draw, and each run's maps as RGB arrays.

    Args:
        looks: `{run name: Explanation}`.
        sentence: the one that looks.
        name: of the view.
    """
    views = [collect_views(look.of(sentence)).get(name) for look in looks.values()]
    weights = [panel for view in views if view for panel in view.panels.values()]
    largest = max((float(panel.max(initial=0)) for panel in weights), default=None)
    pictures = []
    for view in views:
        if view is None:
            pictures.append(None)
            continue
        try:
            figure = word_plots.draw_attention_maps(view, largest=largest)
        except InputError as error:
            return str(error), [None] * len(looks)
        pictures.append(_render(figure))
    return "", pictures


def _render(figure):
    """A figure as an RGB array."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def _note(text):
    return f"<p>{html.escape(text)}</p>" if text else ""


def _color_words(looks):
    """The numbers by word as words on colours, for every run and sentence."""
    parts = []
    for run, look in looks.items():
        for sentence, tokens in look.tokens.items():
            parts.append(f"<h3>{html.escape(run)}: {sentence}</h3>")
            for name, numbers in collect_word_numbers(look.of(sentence)).items():
                parts.append(_color_line(name, tokens, numbers, look.unknown))
    return "\n".join(parts)


def _color_line(name, tokens, values, unknown):
    low, high = float(min(values)), float(max(values))
    spans = []
    for token, value in zip(tokens, values, strict=True):
        if token in unknown:
            spans.append(
                _span(token, f"{value:.4f}, unknown to the run", UNKNOWN_STYLE)
            )
            continue
        share = (float(value) - low) / (high - low) if high > low else 0.0
        red, green, blue, _ = colormaps[word_plots.MAP](share, bytes=True)
        luminance = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
        style = (
            f"background: rgb({red}, {green}, {blue}); "
            f"color: {'white' if luminance < DARK else 'black'}"
        )
        spans.append(_span(token, f"{value:.4f}", style))
    title = f"{name}, {low:.3f} (dark) to {high:.3f} (light)"
    return f"<p><small>{html.escape(title)}</small><br>{' '.join(spans)}</p>"


def _span(token, title, style):
    return (
        f'<span title="{title}" style="{style}; padding: 0 .3em">'
        f"{html.escape(token)}</span>"
    )
