"""Figures and tables of trained models: attention maps, and accuracy by length."""
