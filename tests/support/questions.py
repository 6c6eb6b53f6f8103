"""Small files in the format of WikiQA."""

HEADER = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
)


def make_row(question, number, label, sentence=None):
    sentence = sentence or f"candidate {number} of {question}"
    fields = (question, f"what is {question} ?", "D1", "title", f"{question}-{number}")
    return "\t".join([*fields, sentence, label]) + "\n"


def write_wikiqa(path, questions):
    """Writes questions with learnable candidates.

    Args:
        path: path of the file.
        questions: `{id: labels}`, such as `{"Q1": "001"}`.
    """
    rows = [
        make_row(
            question, number, label, f"{'yes' if label == '1' else 'no'} word{number}"
        )
        for question, labels in questions.items()
        for number, label in enumerate(labels)
    ]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path
