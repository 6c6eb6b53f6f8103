"""Baseline sentence encoders: CBOW, pooled Bi-LSTMs and last states."""
