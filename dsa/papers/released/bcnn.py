"""The released code of BCNN and ABCNN (Yin et al. 2016, arXiv:1512.05193)."""

from dsa.papers.released.difference import Difference, ReleasedCode

CODES = {
    "released-bcnn": ReleasedCode(
        "wikiqa/abcnn3.yaml",
        None,
        (
            Difference("what chooses epoch and classifier", "test", here="dev"),
            Difference("case of the words", "as written", "tokenizer.lowercase", False),
            Difference("tokens", "at white space", "tokenizer.name", "whitespace"),
            Difference(
                "order of the pairs",
                "that of the file",
                here="shuffled each epoch",
            ),
            Difference(
                "final classifier",
                "linear SVM, or linear regression",
                "model.final_classifier",
                "svm",
            ),
            Difference(
                "size of the attention in pooling",
                "shares that sum to 1",
                "model.attention_scale",
                "sum",
            ),
            Difference(
                "comparison of the word vectors",
                "of their sums",
                "model.input_pool",
                "sum",
            ),
            Difference(
                "diversity term", "0.01, for SICK only", "model.diversity", 0.01
            ),
            Difference(
                "position of a sentence in its padding",
                "its middle, so that a word's weight in `W_a` moves with the length",
                here="its start",
            ),
            Difference(
                "weights of words, ranges of lengths",
                "from test rows too",
                here="from train only",
            ),
            Difference(
                "equal scores", "in file order", here="the mean over their orders"
            ),
        ),
    ),
}
