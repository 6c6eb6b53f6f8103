"""Evaluates frozen sentence vectors on other tasks."""
