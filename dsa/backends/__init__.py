"""All code that depends on the backend or on private attributes of Keras."""
