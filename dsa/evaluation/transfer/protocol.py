"""What a trained encoder's vectors are worth on other tasks, as SentEval measures it.

The encoder is frozen; logistic regression, or Tai et al.'s distribution over scores, is
trained on its vectors. Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), section 3.
"""

import numpy as np

from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.splits import refuse_rare
from dsa.errors import InputError
from dsa.seeds import derived_seed
from dsa.tasks.inputs import PAIR
from dsa.tasks.relatedness import correlation

STRENGTHS = tuple(2.0**power for power in range(-4, 5))  # C of logistic regression
FOLDS = 10  # of a corpus without test set
INNER_FOLDS = 5  # that C is chosen by, where there is no dev set
ITERATIONS = 1000


def evaluate_transfer(encoder, transfer, root, seed=13):
    """An encoder's result on a task of the suite.

    Args:
        encoder: a `FrozenEncoder` or `VectorAverage`.
        transfer: a `Transfer`.
        root: the data root.
        seed: deals the folds.

    Returns: a dictionary: `task`; `count`, rows measured; `accuracy`, a fraction, with
        `f1` of the second label where the task has two and a test set, or `pearson`,
        `spearman` and `mse` (none of cosines, which have another scale); `strengths`,
        the C that was chosen, one for each fold.

    Raises: `InputError` for a file that is missing or malformed.
    """
    corpus = corpus_named(transfer.corpus)
    task, splits = corpus.task, {}
    for split, name in transfer.files().items():
        path = find_file(root, name)
        prepared = prepare(path, corpus, encoder.tokenizer)
        if split == "train":
            _refuse_unlearnable(path, prepared.labels, transfer)
        splits[split] = (encoder.vectors(prepared)[prepared.texts], prepared.labels)
    seed = derived_seed(seed, transfer.name)
    if transfer.unsupervised:
        result = _cosines(*splits["test"])
    elif task.selects == "pearson":
        result = _scored(task, splits)
    elif "test" in splits:
        result = _tested(task, splits, seed)
    else:
        result = _cross_validated(*splits["train"], seed)
    return {"task": transfer.name, **result}


def _refuse_unlearnable(path, labels, transfer):
    if len(np.unique(labels)) < 2:
        raise InputError(f"{path}: every row has the same label or score")
    if transfer.dev is None:
        least = FOLDS if transfer.test is None else INNER_FOLDS
        refuse_rare(path, labels, least, "fewer than folds")


def features(vectors):
    """Features `(N, F)` of rows of vectors `(N, T, S)`: the vector itself, or of a pair
    `[|u - v|; u * v]`; float64, as Newton's steps need it where features are alike."""
    vectors = vectors.astype(np.float64)
    if vectors.shape[1] < len(PAIR):
        return vectors[:, 0]
    u, v = vectors[:, 0], vectors[:, 1]
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def _cosines(vectors, scores):
    u, v = vectors[:, 0].astype(np.float64), vectors[:, 1].astype(np.float64)
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    cosines = (u * v).sum(axis=1) / np.maximum(lengths, 1e-12)
    measured = correlation(cosines, scores)
    return {"count": len(scores), **{k: measured[k] for k in ("pearson", "spearman")}}


def _classifier(strength, labels):
    from sklearn.linear_model import LogisticRegression

    two = len(np.unique(labels)) == 2  # a small Hessian: Newton's steps are faster
    solver = "newton-cholesky" if two else "lbfgs"
    return LogisticRegression(C=strength, solver=solver, max_iter=ITERATIONS)


def _path(x, y, **weights):
    """Classifiers of these rows, one for each of `STRENGTHS`; each starts from the
    weights of the one before, which is several times faster. The same object, fitted
    again: use it before taking the next."""
    classifier = _classifier(STRENGTHS[0], y).set_params(warm_start=True)
    for strength in STRENGTHS:
        yield classifier.set_params(C=strength).fit(x, y, **weights)


def _accuracies(train, test):
    """The accuracy of each C."""
    return [classifier.score(*test) for classifier in _path(*train)]


def _tested(task, splits, seed):
    from sklearn.metrics import f1_score

    splits = {split: (features(x), y) for split, (x, y) in splits.items()}
    train, (x, y) = splits["train"], splits["test"]
    if "dev" in splits:
        best = STRENGTHS[int(np.argmax(_accuracies(train, splits["dev"])))]
    else:
        best = _chosen(*train, seed)
    predicted = _classifier(best, train[1]).fit(*train).predict(x)
    result = {"count": len(y), "accuracy": float((predicted == y).mean())}
    if task.outputs == 2:
        result["f1"] = float(f1_score(y, predicted))
    return {**result, "strengths": [best]}


def _cross_validated(vectors, labels, seed):
    from sklearn.model_selection import StratifiedKFold

    x, right, strengths = features(vectors), 0, []
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(x, labels):
        best = _chosen(x[train], labels[train], seed)
        classifier = _classifier(best, labels).fit(x[train], labels[train])
        right += int((classifier.predict(x[test]) == labels[test]).sum())
        strengths.append(best)
    return {
        "count": len(labels),
        "accuracy": right / len(labels),
        "strengths": strengths,
    }


def _chosen(x, y, seed):
    """The C of the best mean accuracy over inner folds, the smallest of equals."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    means = np.mean(
        [_accuracies((x[a], y[a]), (x[b], y[b])) for a, b in folds.split(x, y)], axis=0
    )
    return STRENGTHS[int(np.argmax(means))]


def _scored(task, splits):
    """Softmax regression to Tai et al.'s target distribution over the scale's whole
    numbers (2015, equation 16): every row once for each number that has a share of its
    score, weighted by it, which is the cross-entropy to the distribution."""
    splits = {split: (features(x), y) for split, (x, y) in splits.items()}
    x, scores = splits["train"]
    shares = task.target_shares(scores)
    rows, columns = np.nonzero(shares)
    train = x[rows], task.lowest + columns
    weights = shares[rows, columns]

    def measured(classifier, x, y):
        return correlation(classifier.predict_proba(x) @ classifier.classes_, y)

    path = _path(*train, sample_weight=weights)
    found = [measured(each, *splits["dev"])["pearson"] for each in path]
    best = STRENGTHS[int(np.argmax(found))]
    classifier = _classifier(best, train[1]).fit(*train, sample_weight=weights)
    result = measured(classifier, *splits["test"])
    return {"count": len(splits["test"][1]), **result, "strengths": [best]}
