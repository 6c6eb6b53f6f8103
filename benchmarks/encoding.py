"""How fast trained encoders read sentences, against the matrix-product rate.

    DSA_DATA=<corpora> python benchmarks/encoding.py [--out FILE]

The published DSA and DiSAN encode the first distinct sentences of the available
training file (SNLI's, else the bundled corpus's), as `evaluate.py` and `encode.py` do.
Token ids are random and nothing is trained: time does not depend on them. Each process
encodes all sentences once to warm up, and again to be timed. Operations are counted on
real tokens only (`operations.py`).
"""

import json
import os
import time

import measuring

SENTENCES = 10_000
VOCABULARY = 40_000
MODELS = ("dsa", "disan")


def read_sentences():
    """The first sentences of the available corpus, with random words."""
    import numpy as np

    from dsa.data.corpora.catalogue import corpus_named
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import Tokenizer

    corpus = prepare(measuring.find_corpus(), corpus_named("snli"), Tokenizer())
    offsets = corpus.sentences.offsets[: SENTENCES + 1]
    random = np.random.default_rng(0)
    return Sentences(random.integers(2, VOCABULARY, offsets[-1], np.int32), offsets)


def run_side(name):
    """Encode with a model in this process, and print the figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import numpy as np
    from matrix_product import matrix_product_rate
    from operations import encoding_operations

    from dsa.experiment.yaml_file import load_experiment
    from dsa.inference.corpus_inference import build_inference
    from dsa.models.registry import build_model

    experiment = load_experiment(f"configs/snli/{name}.yaml")
    sentences = read_sentences()
    keras.utils.set_random_seed(0)
    inference = build_inference(experiment, build_model(experiment, VOCABULARY))
    inference.vectors(sentences)
    rates = [matrix_product_rate()]
    began = time.perf_counter()
    inference.vectors(sentences)
    seconds = time.perf_counter() - began
    rates.append(matrix_product_rate())
    lengths = np.diff(sentences.offsets)
    rate = encoding_operations(experiment, lengths) / seconds
    figures = {
        "sentences": len(sentences),
        "tokens_per_sentence": float(lengths.mean()),
        "sentences_per_second": len(sentences) / seconds,
        "operations_per_second": rate,
        "matrix_product_operations_per_second": float(np.mean(rates)),
        "matrix_products_before": float(rates[0]),
        "matrix_products_after": float(rates[1]),
        "share_of_matrix_product_rate": float(rate / np.mean(rates)),
        "ran_on": measuring.describe_process(),
    }
    print(json.dumps(figures))


def main():
    options = measuring.make_parser(__doc__).parse_args()
    if options.side:
        return run_side(options.side)
    measuring.compare(__file__, options, measuring.make_commands(__file__, MODELS))


if __name__ == "__main__":
    main()
