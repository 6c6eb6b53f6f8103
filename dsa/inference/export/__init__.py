"""Export of trained models to ONNX and SavedModel."""
