"""Building blocks that several papers share, one idea per file.

Axes in this package: B sentences, L tokens, D features, H heads, K features per head,
S features of a sentence vector; P and Q tokens of premise and hypothesis. Masks are
boolean, True = real token; padding never changes what a real token gets.
"""
