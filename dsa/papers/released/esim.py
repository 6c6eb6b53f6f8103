"""The released code of ESIM (Chen et al. 2017, arXiv:1609.06038)."""

from dsa.papers.released.difference import BRACKETS, Difference, ReleasedCode

CODES = {
    "released-esim": ReleasedCode(
        "snli/esim.yaml",
        "snli/esim_released.yaml",
        (
            Difference(
                "tokens around a sentence",
                "`_BOS_` and `_EOS_`",
                "tokenizer.boundaries",
                ["_BOS_", "_EOS_"],
            ),
            BRACKETS,
            Difference(
                "look-up of a word",
                "only as it is written",
                "embedding.lookup",
                "exact",
            ),
            Difference("unknown words", "0.01 N(0, 1)", "embedding.random", "normal"),
            Difference("their scale", "0.01", "embedding.random_scale", 0.01),
            Difference(
                "first weights",
                "an orthogonal matrix for each gate, no forget bias, else 0.01 N(0, 1)",
                "model.initialization",
                "released",
            ),
            Difference(
                "dropout",
                "multiplies by the kept share when the model is used, not in training",
                "model.inverted_dropout",
                False,
            ),
            Difference(
                "longest sentence that is learned",
                "fewer than 100 tokens, `_BOS_` and `_EOS_` among them",
                "training.max_tokens",
                99,
            ),
            Difference(
                "an evaluation as good as the best",
                "the rate stays",
                here="the rate is halved",
            ),
            Difference(
                "batches",
                "by the hypothesis's length, in windows of 20 batches",
                here="by both lengths, over the whole epoch",
            ),
            Difference(
                "padding in max pooling",
                "enters as 0: an answer depends on its batch",
                here="never enters",
            ),
        ),
    ),
}
