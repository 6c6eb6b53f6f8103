"""The commands, one file each: arguments, and one call of the library.

`dsa NAME ...` runs them; `scripts/` has some of them as files.
"""

from dsa.backends.choice import check_backend_when_keras_is_imported
from dsa.backends.quiet_start import prepare_tensorflow

prepare_tensorflow()
check_backend_when_keras_is_imported()
