"""Batches of token ids: order, padded shapes and training batches."""
