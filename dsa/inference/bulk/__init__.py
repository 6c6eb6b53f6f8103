"""Inference on files of any size, in shards of rows."""
