"""Commands: each module parses arguments and makes one call into the library.

`dsa NAME ...` runs a command. Some commands are also scripts in `scripts/`.
"""

import os

from dsa.backends.choice import check_backend_when_keras_is_imported
from dsa.backends.keras_import import prepare_keras

# replaces the backend set by Jupyter, which may not be installed
os.environ["MPLBACKEND"] = "agg"
prepare_keras()
check_backend_when_keras_is_imported()
