"""Experiment trackers, such as TensorBoard, which get a copy of the history."""
