"""The commands, one file each: arguments, and one call of the library.

`dsa NAME ...` runs them; `scripts/` has some of them as files.
"""

from dsa.system.first_interrupt import say_interrupted_while_importing

say_interrupted_while_importing()

from dsa.backends.choice import check_backend_when_keras_is_imported  # noqa: E402
from dsa.backends.quiet_start import prepare_tensorflow  # noqa: E402

prepare_tensorflow()
check_backend_when_keras_is_imported()
