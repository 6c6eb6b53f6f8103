"""Small files in WikiQA's format."""

HEADER = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
)


def make_row(question, number, label, sentence=None):
    sentence = sentence or f"candidate {number} of {question}"
    fields = (question, f"what is {question} ?", "D1", "title", f"{question}-{number}")
    return "\t".join([*fields, sentence, label]) + "\n"


def write_wikiqa(path, questions):
    """Write questions as `{id: labels}`, such as `{"Q1": "001"}`; right candidates say
    so, for models to learn."""
    rows = [
        make_row(
            question, number, label, f"{'yes' if label == '1' else 'no'} word{number}"
        )
        for question, labels in questions.items()
        for number, label in enumerate(labels)
    ]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path
