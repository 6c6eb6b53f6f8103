"""Gradio page with the predictions and attention maps of one or two runs."""

import html
import json
import os
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsa.errors import InputError
from dsa.explanation import describe_unknown
from dsa.inference.page.answers import ANSWER_STYLE, describe_run, render_answer
from dsa.inference.page.word_maps import (
    AVERAGE,
    SCRIPT,
    STYLE,
    list_map_names,
    render_maps,
    render_numbers,
)
from dsa.inference.serving.limits import Limits
from dsa.inference.serving.request_rows import check_request_text
from dsa.inference.web_server import LOOPBACK, listen, run_server
from dsa.system.extras import importing

if TYPE_CHECKING:
    import fastapi
    import gradio  # at run time only after `serve_page` has disabled its analytics

    from dsa.inference.trained_model import TrainedModel

ADDRESS = "127.0.0.1"
MAX_WAITING = 64  # clicks in the queue
SHUTDOWN_SECONDS = 2
# the browser loads nothing from other hosts, and sends nothing to them
CONTENT_SECURITY_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)
EXAMPLES = (
    ("A lady stands outside of a Mexican market.", "A woman is shopping."),
    ("A man is sleeping on a bench.", "Nobody is awake."),
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man plays a guitar.", "A person makes music."),
    ("What is the capital of France?", "Paris is the capital of France."),
    ("The film is funny and well made.", "I like this film."),
)
HINT = (
    "Point at a word, or tap it, to color the other words by its attention weights, in "
    "per cent. Without a pointer, the colors show the average over all words."
)
LINK_HINT = "The address of this page contains the texts: copy it to share them."
# writes the texts into the address before they are answered
WRITE_LINK = """(direction, head, ...texts) => {
  const query = new URLSearchParams(%s.map((name, number) => [name, texts[number]]));
  history.replaceState(null, '', '?' + query);
  return [direction, head, ...texts];
}"""
MIN_BOX_PIXELS = 260  # two boxes are above each other on a phone
LIMITS = Limits()
EXAMPLE_LENGTHS = (8, 5)  # words of the premise and the hypothesis


def serve_page(compared, port: int = 0) -> None:
    """Serves the page for one or two `ComparedRuns` until Ctrl-C.

    Args:
        compared: the `ComparedRuns`.
        port: port number; 0 selects a free port.

    Raises: `InputError` for more than two runs, a port in use, or if the extra
        `explore` is not installed.
    """
    count = len(compared.folders)
    if count > 2:
        raise InputError(f"the page shows one or two runs. Received: {count}")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    with importing("explore", "the page needs the extra `explore`"):
        import gradio  # noqa: F401
    with listen(ADDRESS, port) as listening:
        page = build_page(compared.load())
        run_server(build_application(page), listening, SHUTDOWN_SECONDS)


def build_page(runs: "Mapping[str, TrainedModel]") -> "gradio.Blocks":
    """Builds the page, with the predictions for the first example.

    Args:
        runs: `{run name: TrainedModel}`, all of the same task.
    """
    import gradio as gr

    inputs = next(iter(runs.values())).task.inputs
    described = {name: describe_run(name, model) for name, model in runs.items()}
    lock = threading.Lock()

    def explain(texts):
        with lock:
            return {name: model.explain(*texts) for name, model in runs.items()}

    examples = choose_examples(list(runs.values()))
    explanations = explain(examples[0])
    # the second call compiles the model
    threading.Thread(target=explain, args=[examples[0]], daemon=True).start()
    directions, heads = list_map_names(explanations.values())
    direction = directions[0] if directions else None

    def answer(direction, head, *texts):
        try:
            for name, text in zip(inputs, texts, strict=True):
                check_request_text(text, f"the {name}", LIMITS)
            explanations = explain(texts)
        except InputError as error:
            empty = [""] * len(runs)
            return [_render_note([str(error)]), *empty, *empty, *empty]
        note, labels, maps, numbers = _render(explanations, described, direction, head)
        return [note, *labels, *maps, *numbers]

    def open_link(request: gr.Request, direction, head, *texts):
        query = request.query_params
        if not all(name in query for name in inputs):
            return [gr.skip()] * (len(inputs) + 1 + 3 * len(runs))
        texts = [query[name] for name in inputs]
        return [*texts, *answer(direction, head, *texts)]

    note, labels, maps, numbers = _render(explanations, described, direction, AVERAGE)
    with gr.Blocks(title="dsa", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("## What does the model look at?")
        with gr.Row():
            text_boxes = [
                gr.Textbox(
                    text,
                    label=name,
                    elem_id=name,
                    max_lines=4,
                    min_width=MIN_BOX_PIXELS,
                )
                for name, text in zip(inputs, examples[0], strict=True)
            ]
        button = gr.Button("Answer", variant="primary", elem_id="look")
        note_box = gr.HTML(note, elem_id="note", padding=False)
        label_boxes, map_boxes = [], []
        with gr.Row():
            for number in range(1, len(runs) + 1):
                # the map of a single run is beside its label, those of two runs below
                with gr.Row() if len(runs) == 1 else gr.Column():
                    with gr.Column(min_width=MIN_BOX_PIXELS):
                        label_boxes.append(
                            gr.HTML(labels[number - 1], elem_id=f"label-{number}")
                        )
                    with gr.Column(min_width=MIN_BOX_PIXELS):
                        map_boxes.append(
                            gr.HTML(maps[number - 1], elem_id=f"map-{number}")
                        )
        if directions:
            gr.HTML(f"<small>{HINT}</small>", padding=False)
        with gr.Row():
            direction_switch = gr.Radio(
                directions,
                value=direction,
                label="attention",
                visible=len(directions) > 1,
                elem_id="direction",
            )
            head_switch = gr.Radio(
                heads,
                value=AVERAGE,
                label="head",
                visible=len(heads) > 1,
                elem_id="head",
            )
        example_buttons = gr.Examples(
            [list(example) for example in examples],
            text_boxes,
            example_labels=[" / ".join(example) for example in examples],
            cache_examples=False,
        )
        gr.HTML(f"<small>{LINK_HINT}</small>", padding=False)
        with gr.Accordion("More numbers for each word", open=False, elem_id="more"):
            with gr.Row():
                number_boxes = [
                    gr.HTML(content, elem_id=f"numbers-{number}")
                    for number, content in enumerate(numbers, start=1)
                ]
        arguments = [direction_switch, head_switch, *text_boxes]
        outputs = [note_box, *label_boxes, *map_boxes, *number_boxes]
        gr.on(
            [
                button.click,
                *(box.submit for box in text_boxes),
                direction_switch.change,
                head_switch.change,
            ],
            answer,
            arguments,
            outputs,
            concurrency_id="model",
            js=WRITE_LINK % json.dumps(inputs),
        )
        example_buttons.load_input_event.then(
            answer,
            arguments,
            outputs,
            concurrency_id="model",
            js=WRITE_LINK % json.dumps(inputs),
        )
        page.load(open_link, arguments, [*text_boxes, *outputs], concurrency_id="model")
    return page.queue(max_size=MAX_WAITING)


def _render(explanations, described, direction, head):
    """Returns the note, and the labels, maps and numbers of each run.

    Args:
        explanations: `{run name: Explanation}`.
        described: `{run name: name with the dev score}`.
        direction, head: the selected map, see `list_map_names`.
    """
    notes, maps = [], []
    for run, explanation in explanations.items():
        if hasattr(explanation.answer, "score"):
            notes.append(f"{run}: score {explanation.answer.score:.2f}")
        if unknown := describe_unknown(explanation.unknown):
            notes.append(f"{run}: {unknown}")
        try:
            maps.append(render_maps(explanation, direction, head))
        except InputError as error:
            notes.append(str(error))
            maps.append("")
    labels = [render_answer(described[n], one) for n, one in explanations.items()]
    numbers = [render_numbers(one) for one in explanations.values()]
    return _render_note(dict.fromkeys(notes)), labels, maps, numbers


def _render_note(lines):
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def build_application(page: "gradio.Blocks") -> "fastapi.FastAPI":
    """Mounts the page in an ASGI application that accepts requests for this machine
    only (against DNS rebinding) and sets a content security policy."""
    import gradio as gr
    from fastapi import FastAPI, Request
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    app = FastAPI()
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK)

    @app.middleware("http")
    async def add_policy(request: Request, call_next):
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response

    theme = gr.themes.Base(
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
        spacing_size="sm",
    )
    return gr.mount_gradio_app(
        app,
        page,
        path="/",
        theme=theme,
        css=STYLE + ANSWER_STYLE,
        head=SCRIPT,
        ssr_mode=False,
        footer_links=[],
    )


def choose_examples(models: "Sequence[TrainedModel]") -> list[tuple[str, ...]]:
    """Chooses the `EXAMPLES` without words that are unknown to the first model, first
    those without words that are unknown to any model. If there are none, for instance
    for another language, builds texts from the most frequent words of the vocabulary.

    Args:
        models: the models, all of the same task.

    Returns: one or more rows with one text per input of the task.
    """
    count = len(models[0].task.inputs)
    examples = []
    for chosen in (models, models[:1]):
        for example in EXAMPLES:
            texts = example[:count]
            if texts not in examples and not any(
                model.vocabulary.list_unknown(model.tokenizer(text))
                for model in chosen
                for text in texts
            ):
                examples.append(texts)
    if examples:
        return examples
    frequent = []
    for word in models[0].vocabulary.words:
        if len(frequent) == max(EXAMPLE_LENGTHS):
            break
        if word.isalpha() and all(_is_single_token(model, word) for model in models):
            frequent.append(word)
    if not frequent:
        return [EXAMPLES[0][:count]]
    return [tuple(" ".join(frequent[:length]) for length in EXAMPLE_LENGTHS[:count])]


def _is_single_token(model, word):
    tokens = model.tokenizer.add_boundaries([word])
    return word in model.vocabulary and model.tokenizer(word) == tokens
