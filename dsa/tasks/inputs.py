"""The names of the sentences that a model reads."""

PAIR = ("premise", "hypothesis")
SINGLE = ("sentence",)
NONOVERLAP = ("premise_nonoverlap", "hypothesis_nonoverlap")  # without common words
