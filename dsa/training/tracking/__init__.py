"""Experiment trackers, such as TensorBoard, that receive a copy of the history."""
