"""The feature-based classifier of Bowman et al. 2015 (arXiv:1508.05326), section 3.2:
a linear model over sparse features of a pair, without vectors."""

from typing import Literal

from dsa.config_section import Count, Section


class FeaturesConfig(Section):
    """`model` for `name: features`. `lexical`: also indicators of the hypothesis's
    words and bigrams and of pairs of a word of the premise and one of the hypothesis,
    those that at least `minimum_count` training pairs have."""

    name: Literal["features"]
    lexical: bool = True
    minimum_count: Count = 2

    def check_inputs(self, units):
        """There are no word vectors."""
