"""Layers and functions shared by several papers.

Axes in this package: B sentences, L tokens, D features, d features per attention head,
S features of a sentence vector; P and Q tokens of premise and hypothesis. Masks are
boolean, True = real token. The output for a real token does not depend on padding.
"""
