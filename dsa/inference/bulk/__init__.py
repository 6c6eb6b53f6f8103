"""Inference on files of any size, one shard of rows at a time."""
