"""How a layer asks the layers inside it what they looked at."""


def call_layer(layer, maps, *inputs, **options):
    """The output of a layer. What it looked at is added to a list.

    Args:
        layer: a layer that takes `return_attention`.
        maps: list that the layer's `TokenMap`s are added to; `None` to ask for none.
        inputs, options: arguments of the layer's call.
    """
    if maps is None:
        return layer(*inputs, **options)
    output, new_maps = layer(*inputs, return_attention=True, **options)
    maps += new_maps
    return output
