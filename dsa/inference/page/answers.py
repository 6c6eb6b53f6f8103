"""HTML of a prediction: the run, its dev score, and the probability of each label."""

import html
from typing import TYPE_CHECKING, Any

from dsa.explanation import Explanation

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

ANSWER_STYLE = """
.answer .best { font-size: 1.3em; font-weight: 600; margin: .2em 0 }
.answer .run { opacity: .75 }
.answer .label { display: grid; grid-template-columns: 8em 1fr 5em; gap: .5em;
  align-items: center }
.answer .number { text-align: right; font-variant-numeric: tabular-nums }
.answer .bar { height: .6em; border-radius: .3em; background: #0072b2 }
"""


def describe_run(name: str, model: "TrainedModel") -> str:
    """Returns the name of a run, and its dev score if it was recorded."""
    score = model.dev_score
    metric = model.experiment.dev_metric
    if score is None:
        return name
    if metric == "accuracy":
        return f"{name}: dev accuracy {100 * score:.1f} %"
    return f"{name}: dev {metric} {score:.3f}"


def render_answer(description: str, explanation: Explanation) -> str:
    """Returns the HTML of the prediction of an explanation.

    Args:
        description: description of the run, see `describe_run`.
        explanation: the explanation.
    """
    answer: Any = explanation.answer
    probabilities = answer.probabilities
    best = max(probabilities, key=lambda label: probabilities[label])
    lines = [
        f'<div class="run">{html.escape(description)}</div>',
        f'<div class="best">{html.escape(str(best))}</div>',
    ]
    for label, probability in probabilities.items():
        percent = f"{100 * probability:.2f}"
        lines.append(
            f'<div class="label"><span>{html.escape(str(label))}</span>'
            f'<div class="bar" style="width: {percent}%"></div>'
            f'<span class="number">{percent} %</span></div>'
        )
    return f'<div class="answer">{"".join(lines)}</div>'
