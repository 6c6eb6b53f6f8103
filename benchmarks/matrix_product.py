"""Matrix-product rate of the machine, the reference rate of the models."""

import time

SIZE, SIZE_ON_GPU = 2048, 8192  # small products would leave a GPU idle between calls
PRODUCTS, TURNS = 2, 5


def matrix_product_rate(dtype="float32"):
    """Returns the median rate of products of square matrices, operations per second.

    As in a training step, several products are started before the result of the last
    product is read.
    """
    import keras
    import numpy as np

    from dsa.backends.devices import get_device_name

    size = SIZE if get_device_name().startswith("CPU") else SIZE_ON_GPU
    random = np.random.default_rng(0)
    left = keras.ops.convert_to_tensor(random.normal(size=(size, size)), dtype)
    seconds = []
    for _ in range(TURNS + 1):
        began = time.perf_counter()
        for _ in range(PRODUCTS):
            product = keras.ops.matmul(left, left)
        keras.ops.convert_to_numpy(product[:1, :1])
        seconds.append(time.perf_counter() - began)
    return 2 * size**3 * PRODUCTS / np.median(seconds[1:])
