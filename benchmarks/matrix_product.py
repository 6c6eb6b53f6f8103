"""The machine's rate of matrix products, what models are held against."""

import time

MATRIX, PRODUCTS = 2048, 15


def matrix_product_rate(dtype="float32"):
    """Operations a second of a product of square matrices, the median."""
    import keras
    import numpy as np

    random = np.random.default_rng(0)
    left = keras.ops.convert_to_tensor(random.normal(size=(MATRIX, MATRIX)), dtype)
    seconds = []
    for _ in range(PRODUCTS):
        began = time.perf_counter()
        keras.ops.convert_to_numpy(keras.ops.matmul(left, left)[:1, :1])
        seconds.append(time.perf_counter() - began)
    return 2 * MATRIX**3 / np.median(seconds)
