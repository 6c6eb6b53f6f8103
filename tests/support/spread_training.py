"""Trains a config on two virtual devices of the CPU.

python tests/support/spread_training.py TRAIN_ARGUMENTS...
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

    from dsa.training import network_training

    build = network_training.build_model

    def build_model(*arguments):
        model = build(*arguments)
        weight = model.trainable_variables[0].value
        print("a weight is on", len(_copies(weight)), "devices")
        return model

    network_training.build_model = build_model

    return train.main(list(arguments))


def _copies(weight):
    if keras.backend.backend() == "jax":
        return weight.sharding.device_set
    return weight.values


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
