"""A run's encoder as a module of sentence-transformers 6.

    pip install sentence-transformers
    python examples/sentence_transformers_module.py runs/snli/dsa/seed-13

Everything that takes a `SentenceTransformer` then takes the run: similarity, search,
clustering, evaluators. It encodes and does not train. A saved model has the path of the
run folder, not the run itself.
"""

import sys

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import InputModule

import dsa


class DSAModule(InputModule):
    """Sentence vectors of a run.

    Args:
        run: the run folder, or the name of a release; its model encodes sentences.
    """

    config_keys = ["run"]
    save_in_root = False

    def __init__(self, run):
        super().__init__()
        self.run = str(run)
        self.model = dsa.load(run)
        self.units = len(self.model.encode("."))

    def preprocess(self, inputs, prompt=None, **kwargs):
        """The vectors of some texts; a text without any word has that of a point."""
        texts = [f"{prompt or ''}{text}" for text in inputs]
        vectors = self.model.encode([text if text.strip() else "." for text in texts])
        return {"sentence_embedding": torch.from_numpy(vectors)}

    def forward(self, features, **kwargs):
        return features  # `preprocess` has done it all

    def get_embedding_dimension(self):
        return self.units

    def save(self, output_path, *args, **kwargs):
        self.save_config(output_path)


def main(run):
    model = SentenceTransformer(modules=[DSAModule(run)])
    vectors = model.encode(["A man sleeps.", "A man is asleep.", "A dog runs."])
    print(model.similarity(vectors, vectors))


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["mini"]))
