"""Gradio page with the predictions and attention maps of one or two runs."""

import html
import json
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dsa.errors import InputError
from dsa.explanation import describe_unknown
from dsa.inference.page.answers import describe_run, render_answer
from dsa.inference.page.page_application import build_application
from dsa.inference.page.page_examples import choose_examples
from dsa.inference.page.word_maps import (
    AVERAGE,
    list_map_names,
    render_maps,
    render_numbers,
)
from dsa.inference.serving.limits import Limits
from dsa.inference.serving.request_rows import check_request_text
from dsa.inference.web_server import listen, run_server
from dsa.system.extras import importing

if TYPE_CHECKING:
    import gradio  # at run time imported after `serve_page` has disabled analytics

    from dsa.inference.trained_model import TrainedModel

ADDRESS = "127.0.0.1"
MAX_WAITING = 64  # events in the queue
SHUTDOWN_SECONDS = 2
HINT = (
    "Point at a word, or tap it, to color the other words by its attention weights, in "
    "per cent. If no word is selected, the colors show the average over all words."
)
LINK_HINT = (
    "After an answer, the address of this page contains the texts: copy it to open "
    "them again."
)
# writes the texts to the address before the prediction, unless the address would be
# too long: the browser sends it with every request
WRITE_LINK = """(map, head, ...texts) => {
  const pairs = %s.map((name, number) => [name, texts[number]]);
  const query = new URLSearchParams(pairs).toString();
  if (query.length <= 8000) history.replaceState(null, '', '?' + query);
  return [map, head, ...texts];
}"""
MIN_BOX_PIXELS = 260  # a phone displays two boxes in two rows
LIMITS = Limits()


def serve_page(compared: Any, port: int = 0) -> None:
    """Serves the page for one or two runs until Ctrl-C.

    Args:
        compared: the `ComparedRuns`.
        port: port number; 0 selects a free port.

    Raises: `InputError` if there are more than two runs, if the port is in use, or if
        the extra `explore` is not installed; see also `ComparedRuns.load`.
    """
    count = len(compared.folders)
    if count > 2:
        raise InputError(f"expected one or two runs. Received: {count}")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    with importing("explore", "the page requires the extra `explore`"):
        import gradio  # noqa: F401
    with listen(ADDRESS, port) as listening_socket:
        page = build_page(compared.load())
        run_server(build_application(page), listening_socket, SHUTDOWN_SECONDS)


def build_page(runs: "Mapping[str, TrainedModel]") -> "gradio.Blocks":
    """Builds the page, which initially shows the predictions for the first example.

    Args:
        runs: `{run name: TrainedModel}`, all of the same task.
    """
    import gradio as gr

    inputs = next(iter(runs.values())).task.inputs
    descriptions = {name: describe_run(name, model) for name, model in runs.items()}
    lock = threading.Lock()

    def explain(texts):
        with lock:
            return {name: model.explain(*texts) for name, model in runs.items()}

    examples = choose_examples(list(runs.values()))
    explanations = explain(examples[0])
    # the second call compiles the model
    threading.Thread(target=explain, args=[examples[0]], daemon=True).start()
    map_names, heads = list_map_names(explanations.values())
    map_name = map_names[0] if map_names else None

    def answer(map_name, head, *texts):
        try:
            for name, text in zip(inputs, texts, strict=True):
                check_request_text(text, f"the {name}", LIMITS)
            explanations = explain(texts)
        except InputError as error:
            empty = [""] * len(runs)
            return [_render_note([str(error)]), *empty, *empty, *empty]
        note, labels, maps, numbers = _render(
            explanations, descriptions, map_name, head
        )
        return [note, *labels, *maps, *numbers]

    def open_link(request: gr.Request, map_name, head, *texts):
        query = request.query_params
        if not all(name in query for name in inputs):
            return [gr.skip()] * (len(text_boxes) + len(outputs))
        texts = [query[name] for name in inputs]
        return [*texts, *answer(map_name, head, *texts)]

    note, labels, maps, numbers = _render(explanations, descriptions, map_name, AVERAGE)
    with gr.Blocks(title="dsa", analytics_enabled=False, fill_width=True) as page:
        gr.Markdown("## What does the model attend to?")
        text_boxes = _add_text_boxes(inputs, examples[0])
        button = gr.Button("Answer", variant="primary", elem_id="submit")
        note_box = gr.HTML(note, elem_id="note", padding=False)
        label_boxes, map_boxes = _add_answer_boxes(labels, maps)
        if map_names:
            gr.HTML(f"<small>{HINT}</small>", padding=False)
        with gr.Row():
            map_switch = gr.Radio(
                map_names,
                value=map_name,
                label="attention",
                visible=len(map_names) > 1,
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
        arguments = [map_switch, head_switch, *text_boxes]
        outputs = [note_box, *label_boxes, *map_boxes, *number_boxes]
        gr.on(
            [
                button.click,
                *(box.submit for box in text_boxes),
                map_switch.change,
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


def _add_text_boxes(inputs, texts):
    """Adds a row of text boxes, one for each input of the task."""
    import gradio as gr

    with gr.Row():
        return [
            gr.Textbox(
                text,
                label=name,
                elem_id=name,
                max_lines=4,
                min_width=MIN_BOX_PIXELS,
            )
            for name, text in zip(inputs, texts, strict=True)
        ]


def _add_answer_boxes(labels, maps):
    """Adds the predicted labels and the attention maps of each run.

    Args:
        labels, maps: initial HTML of each run.

    Returns: the components of the labels, and of the maps.
    """
    import gradio as gr

    label_boxes = []
    map_boxes = []
    with gr.Row():
        for number, (label, run_map) in enumerate(
            zip(labels, maps, strict=True), start=1
        ):
            # for one run, the map is beside the label; for two runs, below the label
            container = gr.Row() if len(labels) == 1 else gr.Column()
            with container:
                with gr.Column(min_width=MIN_BOX_PIXELS):
                    label_boxes.append(gr.HTML(label, elem_id=f"label-{number}"))
                with gr.Column(min_width=MIN_BOX_PIXELS):
                    map_boxes.append(gr.HTML(run_map, elem_id=f"map-{number}"))
    return label_boxes, map_boxes


def _render(explanations, descriptions, map_name, head):
    """Renders explanations as HTML.

    Args:
        explanations: `{run name: Explanation}`.
        descriptions: `{run name: description}`, see `describe_run`.
        map_name, head: names of the selected map and head, see `list_map_names`.

    Returns: a tuple of the HTML of the note and three lists with one HTML string per
        run: the labels, the maps, and the other values of the tokens.
    """
    notes = []
    maps = []
    for run, explanation in explanations.items():
        if hasattr(explanation.answer, "score"):
            notes.append(f"{run}: score {explanation.answer.score:.2f}")
        unknown = describe_unknown(explanation.unknown)
        if unknown:
            notes.append(f"{run}: {unknown}")
        try:
            maps.append(render_maps(explanation, map_name, head))
        except InputError as error:
            notes.append(str(error))
            maps.append("")
    labels = [
        render_answer(descriptions[run], explanation)
        for run, explanation in explanations.items()
    ]
    numbers = [render_numbers(explanation) for explanation in explanations.values()]
    distinct_notes = list(dict.fromkeys(notes))
    return _render_note(distinct_notes), labels, maps, numbers


def _render_note(lines):
    """Renders each line as an HTML paragraph."""
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)
