"""A web page that shows what one or two runs of a task looked at, for the browsers of
this machine; needs Gradio."""

import asyncio
import html
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsa.errors import InputError
from dsa.explanation import describe_unknown
from dsa.inference.page.page_words import (
    AVERAGE,
    SCRIPT,
    STYLE,
    name_maps,
    write_maps,
    write_numbers,
)
from dsa.inference.serving.batch_queue import BatchQueue
from dsa.inference.serving.bounds import Bounds
from dsa.inference.serving.questions import check_bounded
from dsa.inference.serving.server import LocalOnly, listen, run_server

if TYPE_CHECKING:
    import gradio  # at run time only after `serve_page` has forbidden its analytics

    from dsa.inference.trained_model import TrainedModel

ADDRESS = "127.0.0.1"
BODY_SECONDS = 10  # to send a body
MOST_WAITING = 64  # clicks; more are refused
SECONDS_TO_END = 2  # for answers that are being computed at Ctrl-C
# the browser loads nothing from anywhere else, and sends nothing there
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)
EXAMPLES = (  # those whose words the runs know are shown
    ("A lady stands outside of a Mexican market.", "A woman is shopping."),
    ("A man is sleeping on a bench.", "Nobody is awake."),
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man plays a guitar.", "A person makes music."),
    ("What is the capital of France?", "Paris is the capital of France."),
    ("The film is funny and well made.", "I like this film."),
)
HINT = (
    "Point at a word, or tap it: the others are colored by how much this word looks at "
    "them, in per cent. Without a pointer: the average over all words."
)
BOUNDS = Bounds()
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

        from dsa.inference.serving.bounded_connection import BOUNDED
    except ImportError as error:
        raise InputError(
            'the page needs the extra `explore`: pip install "dsa-nli[explore]" '
            f"({error})"
        ) from error
    with listen(ADDRESS, port) as listening:
        run_server(
            build_application(build_page(compared.load())),
            listening,
            timeout_graceful_shutdown=SECONDS_TO_END,
            **BOUNDED,
        )


def build_page(runs: "Mapping[str, TrainedModel]") -> "gradio.Blocks":
    """Builds the page over `{run name: TrainedModel}`, of one task, with the answer to
    the first example."""
    import gradio as gr

    inputs = next(iter(runs.values())).task.inputs
    queue = BatchQueue(
        lambda kind, rows: [
            {name: model.explain(*texts) for name, model in runs.items()}
            for texts in rows
        ],
        BOUNDS,
    )
    examples = choose_examples(list(runs.values()))
    (looks,) = queue.submit("explain", examples[:1]).result()
    compiled = queue.submit("explain", examples[:1])  # the second call compiles
    names = [name_maps(look) for look in looks.values()]
    maps = list(dict.fromkeys(one for found, _ in names for one in found))
    heads = max((found for _, found in names), key=len)

    def answer(name, head, *texts):
        try:
            for kind, text in zip(inputs, texts, strict=True):
                check_bounded(text, f"the {kind}", BOUNDS)
            (looks,) = queue.submit("explain", [texts]).result()
        except InputError as error:
            return [_note([str(error)]), *[None] * len(runs), *[""] * (2 * len(runs))]
        return _describe(looks, name, head)

    first = _describe(looks, next(iter(maps), None), AVERAGE)
    note, *values = first
    with gr.Blocks(title="dsa", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("## What does the model look at?")
        with gr.Row():
            texts = [
                gr.Textbox(text, label=name, elem_id=name, max_lines=4)
                for name, text in zip(inputs, examples[0], strict=True)
            ]
        button = gr.Button("Answer", variant="primary", elem_id="look")
        note = gr.HTML(note, elem_id="note", padding=False)
        labels, colored = [], []
        with gr.Row():
            for number, name in enumerate(runs, start=1):
                # one run has its map beside its answer, two are beside each other
                with gr.Row() if len(runs) == 1 else gr.Column():
                    label, shown = values[number - 1], values[len(runs) + number - 1]
                    labels.append(
                        gr.Label(label, label=name, elem_id=f"label-{number}")
                    )
                    with gr.Column():
                        colored.append(gr.HTML(shown, elem_id=f"map-{number}"))
        if maps:
            gr.HTML(f"<small>{HINT}</small>", padding=False)
        with gr.Row():
            name = gr.Radio(
                maps,
                value=next(iter(maps), None),
                label="attention",
                visible=len(maps) > 1,
                elem_id="direction",
            )
            head = gr.Radio(
                heads,
                value=AVERAGE,
                label="head",
                visible=len(heads) > 1,
                elem_id="head",
            )
        shown = gr.Examples(
            [list(example) for example in examples],
            texts,
            example_labels=[" / ".join(example) for example in examples],
            cache_examples=False,
        )
        with gr.Accordion("More numbers for each word", open=False, elem_id="more"):
            with gr.Row():
                numbers = [
                    gr.HTML(text, elem_id=f"numbers-{number}")
                    for number, text in enumerate(values[2 * len(runs) :], start=1)
                ]
        asked = [name, head, *texts]
        answered = [note, *labels, *colored, *numbers]
        clicks = [button.click, *(text.submit for text in texts)]
        gr.on([*clicks, name.change, head.change], answer, asked, answered)
        shown.load_input_event.then(answer, asked, answered)
    compiled.result()
    return page.queue(max_size=MOST_WAITING)


def _describe(looks, name, head):
    """The values of the note, and each run's label, map and numbers, of
    `{run name: Explanation}`."""
    notes, maps = [], []
    for run, look in looks.items():
        if hasattr(look.answer, "score"):
            notes.append(f"{run}: score {look.answer.score:.2f}")
        if words := describe_unknown(look.unknown):
            notes.append(f"{run}: {words}")
        try:
            maps.append(write_maps(look, name, head))
        except InputError as error:
            notes.append(str(error))
            maps.append("")
    labels = [look.answer.probabilities for look in looks.values()]
    numbers = [write_numbers(look) for look in looks.values()]
    return [_note(dict.fromkeys(notes)), *labels, *maps, *numbers]


def _note(lines):
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def build_application(page: "gradio.Blocks") -> LocalOnly:
    """Builds the page as an ASGI application. A browser that shows it may ask no other
    address; requests from other machines and other pages are refused, and bodies that
    are too large or too slow."""
    import gradio as gr
    from fastapi import FastAPI, Request, Response

    app = FastAPI()

    @app.middleware("http")
    async def with_policy(request: Request, call_next):
        if status := await _check_body(request):
            return Response(status_code=status, headers={"Connection": "close"})
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = POLICY
        return response

    theme = gr.themes.Base(
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
        spacing_size="sm",
    )
    mounted = gr.mount_gradio_app(
        app,
        page,
        path="/",
        theme=theme,
        css=STYLE,
        head=SCRIPT,
        ssr_mode=False,
        footer_links=[],
    )
    return LocalOnly(mounted)


async def _check_body(request):
    """The status that refuses a request for its body; 0 for none."""
    if "transfer-encoding" in request.headers:
        return 411  # the size must be announced
    if int(request.headers.get("content-length", 0)) > BOUNDS.body_bytes:
        return 413
    try:
        async with asyncio.timeout(BODY_SECONDS):
            await request.body()
    except TimeoutError:
        return 408
    return 0


def choose_examples(models: "Sequence[TrainedModel]") -> list[tuple[str, ...]]:
    """Chooses those of `EXAMPLES` whose words all runs of a task know. Where there is
    none, such as for another language, builds texts of their most frequent words.

    Returns: one or more rows with a text for each of the task's inputs.
    """
    count = len(models[0].task.inputs)
    known = [
        example[:count]
        for example in EXAMPLES
        if not any(
            model.vocabulary.find_unknown(model.tokenizer(text))
            for model in models
            for text in example[:count]
        )
    ]
    if known:
        return known
    words = (
        word
        for word in models[0].vocabulary.words
        if word.isalpha() and all(_reads_as_one_token(model, word) for model in models)
    )
    common = [word for word, _ in zip(words, range(WORDS[0]), strict=False)]
    if not common:
        return [EXAMPLES[0][:count]]
    return [tuple(" ".join(common[:length]) for length in WORDS[:count])]


def _reads_as_one_token(model, word):
    tokens = model.tokenizer.add_boundaries([word])
    return word in model.vocabulary and model.tokenizer(word) == tokens
