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
