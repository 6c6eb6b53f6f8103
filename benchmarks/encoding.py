"""Rate of sentence encoding, compared with the matrix-product rate of the machine.

    DSA_DATA=<corpora> python benchmarks/encoding.py [--sentences 10000]
      [--precision mixed_bfloat16] [--set KEY=VALUE] [--out FILE]

The published DSA and DiSAN encode the first distinct sentences of the available
training file (SNLI, else the bundled corpus), with the same code as `evaluate.py` and
`encode.py`. Token ids and weights are random, because the time does not depend on their
values. Each process encodes all sentences once to warm up and a second time for the
measurement. Operations are counted on real tokens only (`operations.py`). `--set`
overrides settings of both models.
"""

import json
import os
import time

import measuring

SENTENCES = 10_000
VOCABULARY = 40_000
MODELS = ("dsa", "disan")


def read_sentences(count):
    """Returns the first `count` distinct sentences of the available corpus, with random
    words."""
    import numpy as np

    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import Tokenizer

    corpus = prepare(measuring.find_corpus(), get_corpus("snli"), Tokenizer())
    offsets = corpus.sentences.offsets[: count + 1]
    random = np.random.default_rng(0)
    return Sentences(random.integers(2, VOCABULARY, offsets[-1], np.int32), offsets)


def run_side(name, count, settings):
    """Encodes `count` sentences in this process and prints the figures as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import numpy as np
    from matrix_product import matrix_product_rate
    from operations import encoding_operations

    from dsa.backends.devices import set_matmul_precision
    from dsa.experiment.yaml_file import load_experiment, parse_overrides
    from dsa.inference.corpus_inference import build_inference
    from dsa.models.building import build_model

    experiment = load_experiment(f"configs/snli/{name}.yaml", parse_overrides(settings))
    set_matmul_precision(experiment.training.matmul_precision)
    sentences = read_sentences(count)
    keras.utils.set_random_seed(0)
    inference = build_inference(experiment.family, build_model(experiment, VOCABULARY))
    inference.vectors(sentences)
    dtype = keras.DTypePolicy(experiment.training.precision).compute_dtype
    rates = [matrix_product_rate(dtype)]
    began = time.perf_counter()
    inference.vectors(sentences)
    seconds = time.perf_counter() - began
    rates.append(matrix_product_rate(dtype))
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
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    measuring.add_settings(parser)
    options = parser.parse_args()
    if options.side:
        return run_side(options.side, options.sentences, options.set)
    commands = measuring.make_commands(__file__, MODELS)
    for command in commands.values():
        command += ["--sentences", str(options.sentences)]
        command += ["--set", *measuring.list_settings(options)]
    measuring.compare(__file__, options, commands)


if __name__ == "__main__":
    main()
