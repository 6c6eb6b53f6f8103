"""Trackers such as TensorBoard, which get a copy of a run's history."""
