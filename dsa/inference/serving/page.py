"""A web page that shows what one or two runs of a task looked at, for the browsers of
this machine; needs Gradio."""

import html
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dsa.analysis import word_plots
from dsa.analysis.map_views import collect_views, collect_word_numbers
from dsa.analysis.style import MAP
from dsa.errors import InputError
from dsa.explanation import describe_unknown
from dsa.inference.serving.batch_queue import BatchQueue
from dsa.inference.serving.server import LocalOnly, listen, run_server

if TYPE_CHECKING:
    import gradio  # at run time only after `serve_page` has forbidden its analytics

    from dsa.inference.trained_model import TrainedModel

ADDRESS = "127.0.0.1"
DARK = 0.5  # luminance below which letters are white
UNKNOWN_STYLE = "background: #dddddd; color: #777777; font-style: italic"
# the browser loads nothing from anywhere else, and sends nothing there
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)
EXAMPLES = (  # the texts that the page shows at first
    ("A lady stands outside of a Mexican market.", "A woman is shopping."),
    ("A man is sleeping on a bench.", "Nobody is awake."),
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man plays a guitar.", "A person makes music."),
    ("What is the capital of France?", "Paris is the capital of France."),
    ("The film is funny and well made.", "I like this film."),
)
WORDS = (8, 5)  # of texts that are made of a vocabulary's words


def serve_page(compared, port: int = 0) -> None:
    """Serves the page over one or two `ComparedRuns` until Ctrl-C, and prints its
    address. Port 0 stands for a free one.

    Raises: `InputError` for more runs, for a port in use, and without the extra
        `explore`.
    """
    count = len(compared.folders)
    if count > 2:
        raise InputError(f"one or two runs are shown. Received: {count}")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    try:
        import gradio  # noqa: F401
    except ImportError as error:
        raise InputError(
            'the page needs the extra `explore`: pip install "dsa-nli[explore]" '
            f"({error})"
        ) from error
    with listen(ADDRESS, port) as listening:
        run_server(build_application(build_page(compared.load())), listening)


def build_page(runs: "Mapping[str, TrainedModel]") -> "gradio.Blocks":
    """Builds the page over `{run name: TrainedModel}`, of one task."""
    import gradio as gr

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
        notes = [
            f"{name}: score {look.answer.score:.2f}"
            for name, look in looks.items()
            if hasattr(look.answer, "score")
        ]
        for name, look in looks.items():
            if words := describe_unknown(look.unknown):
                notes.append(f"{name}: {words}")
        notes += [note] if note else []
        return [_note(". ".join(notes)), *labels, *pictures, _color_words(looks)]

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
        buttons = ["download", "fullscreen"]
        image = {"format": "png", "buttons": buttons, "interactive": False}
        with gr.Row():
            pictures = [
                gr.Image(label=name, elem_id=f"maps-{number}", **image)
                for number, name in enumerate(runs, start=1)
            ]
        colored = gr.HTML(elem_id="words")
        asks = [button.click, *(text.submit for text in texts)]
        gr.on(
            [*asks, sentence.change, view.change],
            look,
            [sentence, view, *texts],
            [note, *labels, *pictures, colored],
        )
    return page


def build_application(page: "gradio.Blocks") -> LocalOnly:
    """Builds the page as an ASGI application. A browser that shows it may ask no other
    address; requests from other machines and other pages are refused."""
    import gradio as gr
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


def choose_example(models: "Sequence[TrainedModel]") -> tuple[str, ...]:
    """Chooses the first of `EXAMPLES` whose words all runs of a task know. Where there
    is none, such as for another language, builds texts of their most frequent words.

    Returns: a text for each of the task's inputs.
    """
    count = len(models[0].task.inputs)
    for example in EXAMPLES:
        if not any(
            model.vocabulary.find_unknown(model.tokenizer(text))
            for model in models
            for text in example[:count]
        ):
            return example[:count]
    words = (
        word
        for word in models[0].vocabulary.words
        if word.isalpha() and all(_reads_as_one_token(model, word) for model in models)
    )
    common = [word for word, _ in zip(words, range(WORDS[0]), strict=False)]
    if not common:
        return EXAMPLES[0][:count]
    return tuple(" ".join(common[:length]) for length in WORDS[:count])


def _reads_as_one_token(model, word):
    tokens = model.tokenizer.add_boundaries([word])
    return word in model.vocabulary and model.tokenizer(word) == tokens


def _draw_pictures(looks, sentence, name):
    """A note where there is nothing to draw, and each run's maps as RGB arrays: the
    view `name` of the sentence that looks, of `{run name: Explanation}`."""
    views = [collect_views(look.of(sentence)).get(name) for look in looks.values()]
    weights = [panel for view in views if view for panel in view.panels.values()]
    largest = max((float(panel.max(initial=0)) for panel in weights), default=None)
    try:
        return "", [view and _render_maps(view, largest) for view in views]
    except InputError as error:
        return str(error), [None] * len(looks)


def _render_maps(view, largest):
    canvas = FigureCanvasAgg(word_plots.draw_attention_maps(view, largest=largest))
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
        share = (float(value) - low) / (high - low) if high > low else 0.0
        red, green, blue, _ = colormaps[MAP](share, bytes=True)
        luminance = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
        color = "white" if luminance < DARK else "black"
        title = f"{value:.4f}"
        style = f"background: rgb({red}, {green}, {blue}); color: {color}"
        if token in unknown:
            title, style = f"{title}, unknown to the run", UNKNOWN_STYLE
        spans.append(
            f'<span title="{title}" style="{style}; padding: 0 .3em">'
            f"{html.escape(token)}</span>"
        )
    title = f"{name}, {low:.3f} (dark) to {high:.3f} (light)"
    return f"<p><small>{html.escape(title)}</small><br>{' '.join(spans)}</p>"
