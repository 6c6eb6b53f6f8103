"""The base of every model's settings. No Keras."""

from dsa.config_section import Section


class ModelConfig(Section):
    """`model`. A family's config adds `name: Literal["<name>"]` and its settings. That
    of an encoder has a `classifier`, a `ClassifierConfig`, and may have `layer_norm`:
    whether the classifier's hidden layer is normalised, `False` without it.
    """

    def check_inputs(self, units):
        """Stops at word vectors that do not fit. Most models take any.

        Args:
            units: features of the word vectors, after the projection if there is one.

        Raises: `ValueError`.
        """

    def count_weights(self, units):
        """How many weights the model has at least after its word vectors, without a
        classifier's: those of its large matrices. 0 where nobody counted.

        Args:
            units: features of the word vectors, after the projection if there is one.
        """
        return 0

    def count_vector_units(self, units):
        """Features of a sentence vector of an encoder at least; argument as
        `count_weights`."""
        return 0

    def check_tokens(self, max_tokens):
        """Stops at a length of sentences that does not fit. Most models take any.

        Args:
            max_tokens: the longest sentence; `None` for no limit.

        Raises: `ValueError`.
        """

    def earlier_stage(self):
        """The changes of an experiment's settings with which a part of the model is
        trained before it; `None` for a model that is trained at once."""
        return None
