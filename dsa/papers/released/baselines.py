"""The released codes of sentence encoders that the papers compare with."""

from dsa.papers.released.difference import BRACKETS, Difference, ReleasedCode

FIRST_WEIGHTS = Difference("first weights", "PyTorch's own", here="Keras's own")
EXACT = Difference(
    "look-up of a word", "only as it is written", "embedding.lookup", "exact"
)
LENGTH_ORDER = Difference(
    "batches", "of random pairs", here="of pairs of similar lengths"
)
MULTINLI = Difference("MultiNLI", "version 0.9", here="version 1.0")

CODES = {
    "released-infersent": ReleasedCode(
        "snli/infersent.yaml",
        None,
        (
            Difference(
                "padding in max pooling",
                "enters as 0: no maximum of a shorter sentence is below 0",
                here="never enters",
            ),
            Difference(
                "words without a vector",
                "are left out",
                here="share one small random vector, each in its place",
            ),
            EXACT,
            Difference(
                "tokens",
                "the authors' rules in sed: only a line's last period is split",
                here="Penn Treebank's by NLTK",
            ),
            Difference(
                "first weights",
                "PyTorch's own: a forget bias near 0, two biases of a gate (16,384 "
                "more numbers)",
                here="Keras's own: a forget bias of 1, one bias",
            ),
            LENGTH_ORDER,
            MULTINLI,
        ),
    ),
    "released-shortcut-stacked": ReleasedCode(
        "snli/shortcut_stacked.yaml",
        None,
        (
            BRACKETS,
            EXACT,
            Difference(
                "words of train without a vector",
                "N(0, 1), as far as its code tells: the vectors come as a file",
                here="uniform, up to 0.05",
            ),
            Difference(
                "words outside train without a vector",
                "a random row each",
                here="one row of zeros",
            ),
            Difference(
                "longest sentence",
                "60 tokens; dev while it trains has 150",
                "tokenizer.max_tokens",
                60,
            ),
            Difference(
                "steps between two looks at dev",
                "9,000, 1,000 and 100 in the three epochs",
                "training.evaluate_every",
                None,
            ),
            Difference(
                "batches",
                "in the order of the file",
                here="of pairs of similar lengths",
            ),
            FIRST_WEIGHTS,
        ),
    ),
    "released-shortcut-stacked-multinli": ReleasedCode(
        "multinli/shortcut_stacked.yaml",
        None,
        (
            Difference(
                "longest sentence",
                "60 tokens; dev has 150, the file for Kaggle 60",
                "tokenizer.max_tokens",
                60,
            ),
            Difference(
                "looks at dev",
                "every 9,000 steps, from the third epoch on every 100",
                here="after each epoch",
            ),
            Difference(
                "what is kept",
                "the best on matched and the best on mismatched dev",
                here="the best on matched dev",
            ),
            Difference(
                "pairs of SNLI",
                "whole batches, all before MultiNLI's",
                here="mixed with MultiNLI's",
            ),
            MULTINLI,
        ),
    ),
    "released-hbmp": ReleasedCode(
        "snli/hbmp.yaml",
        None,
        (
            Difference("padding", "is read and pooled", here="is masked"),
            EXACT,
            Difference(
                "words of train without a vector",
                "begin at 0",
                here="uniform, up to 0.05",
            ),
            Difference("tokens", "spaCy's", "tokenizer.name", None),
            Difference(
                "when the rate falls",
                "dev loss, rounded to 0.01, is no better for the second time",
                here="dev accuracy is no better for the second time",
            ),
            Difference(
                "end",
                "with the fourth epoch, in all, whose dev loss is not the least; the "
                "rate stays at 1e-5",
                here="where the rate would fall below 1e-5",
            ),
            Difference(
                "MultiNLI's two dev sets",
                "a training for each, selected by it",
                here="one training, selected by matched dev",
            ),
            FIRST_WEIGHTS,
        ),
    ),
    "released-gated-attention": ReleasedCode(
        "multinli/gated_attention.yaml",
        None,
        (
            Difference(
                "vectors of characters",
                "convolutions over 1, 3 and 5 characters, beside the word vectors",
                here="none",
            ),
            Difference(
                "second hidden layer",
                "reads the classifier's input too",
                here="reads the first one",
            ),
            BRACKETS,
            EXACT,
            Difference("unknown words", "0.01 N(0, 1)", "embedding.random", "normal"),
            Difference("their scale", "0.01", "embedding.random_scale", 0.01),
            Difference(
                "words of dev outside train",
                "are unknown",
                here="have their vector",
            ),
            Difference(
                "tokens around a sentence",
                "`_BOS_` and `_EOS_` are in its dictionary",
                "tokenizer.boundaries",
                None,
            ),
            Difference(
                "dropout between the hidden layers",
                "0.5",
                "model.classifier.hidden_dropout",
                0.5,
            ),
            Difference(
                "dropout",
                "multiplies by the kept share when the model is used, not in training",
                here="inverted",
            ),
            Difference(
                "first weights",
                "an orthogonal matrix for each gate, no forget bias, else 0.01 N(0, 1)",
                here="Keras's own",
            ),
            Difference(
                "an evaluation as good as the best",
                "counts as better",
                here="halves the rate",
            ),
            Difference("padding in max pooling", "enters as 0", here="never enters"),
            MULTINLI,
        ),
    ),
    "released-swem": ReleasedCode(
        "snli/swem.yaml",
        None,
        (
            Difference("word vectors", "are trained", "embedding.trainable", True),
            Difference("longest sentence", "69 tokens", "tokenizer.max_tokens", 69),
            Difference(
                "tokens, words without a vector",
                "come as files",
                here="Penn Treebank's; uniform, up to 0.01",
            ),
            Difference(
                "end",
                "somebody stops it; its page names 20 epochs",
                "training.epochs",
                None,
            ),
            Difference(
                "last batch of an epoch",
                "left out, in train and in dev",
                here="a smaller one",
            ),
            Difference("biases of the classifier", "begin at 0.001", here="begin at 0"),
            Difference(
                "padding in concatenated pooling",
                "enters the maximum as a word",
                here="never enters",
            ),
            Difference("hierarchical pooling", "is not in it", "model.pooling", None),
            Difference(
                "steps between two looks at dev", "100", "training.evaluate_every", 100
            ),
            LENGTH_ORDER,
        ),
    ),
    "released-self-attentive": ReleasedCode(
        "snli/self_attentive_gated.yaml",
        None,
        (
            Difference(
                "penalty (paper: `published`)",
                "the mean square of an entry of `A^T A - I`, over pairs of tokens",
                "model.penalty_form",
                "released",
            ),
            Difference("its coefficient (paper: 0.3)", "0.1", "model.penalty", 0.1),
            Difference(
                "padding in the penalty",
                "counts: it depends on the batch's longest sentence",
                here="only a sentence's own tokens",
            ),
            Difference("features of a hop's map", "600", "model.relation_units", 600),
            Difference(
                "sums of AdaGrad",
                "begin at 0",
                "training.optimizer.initial_accumulator_value",
                0.0,
            ),
            Difference(
                "hidden layer of the attention",
                "has a bias",
                here="none, as in the paper",
            ),
            Difference(
                "first weights of the LSTM",
                "N(0, 0.1), no forget bias",
                here="Keras's own",
            ),
            Difference(
                "first weights of the hops' maps",
                "uniform up to sqrt(6 / (630 x 600)) = 0.004",
                here="uniform up to sqrt(6 / 1200) = 0.07",
            ),
            Difference("first state of the LSTM", "is learned", here="0"),
            Difference(
                "order of the pairs",
                "that of the file",
                here="shuffled each epoch",
            ),
        ),
    ),
    "released-williams": ReleasedCode(
        "multinli/cbow_williams.yaml",
        None,
        (
            Difference("first weights", "N(0, 0.1)", here="Keras's own"),
            Difference(
                "end of training",
                "by a rule on the rise of dev accuracy",
                "training.epochs",
                None,
            ),
            Difference(
                "accuracy",
                "the last, smaller batch counts as wrong",
                here="of all pairs",
            ),
        ),
    ),
}
