"""The commands, one file each: arguments, and one call of the library.

`dsa NAME ...` runs them; `scripts/` has some of them as files.
"""

import os

from dsa.backends.choice import check_backend_when_keras_is_imported
from dsa.backends.keras_import import prepare_keras

os.environ["MPLBACKEND"] = "agg"  # Jupyter sets a backend that may be missing
prepare_keras()
check_backend_when_keras_is_imported()
