"""Trains the config that it is given on two virtual devices of the CPU.

python tests/spread_training.py TRAIN_ARGUMENTS...
"""

import os
import sys

import keras


def main(*arguments):
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0],
            [tf.config.LogicalDeviceConfiguration()] * 2,
        )
    else:
        os.environ["XLA_FLAGS"] = " ".join(
            [
                os.environ.get("XLA_FLAGS", ""),
                "--xla_force_host_platform_device_count=2",
            ]
        )
    sys.path.insert(0, "scripts")
    import train

    return train.main(list(arguments))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
