"""The names of what a model reads."""

PAIR = ("premise", "hypothesis")


SINGLE = ("sentence",)
