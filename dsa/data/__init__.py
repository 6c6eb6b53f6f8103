"""Data pipeline from corpus files to batches of token ids.

corpora -> prepared -> words -> rows -> batching
"""
