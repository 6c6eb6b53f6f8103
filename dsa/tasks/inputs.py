"""The names of the sentences that a model reads."""

PAIR = ("premise", "hypothesis")
SINGLE = ("sentence",)
