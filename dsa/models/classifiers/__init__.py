"""Classifiers over sentence encoders, and final classifiers of pair models."""
