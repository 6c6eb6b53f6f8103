"""Models, one package per paper, registered in `dsa.models.registry`."""
