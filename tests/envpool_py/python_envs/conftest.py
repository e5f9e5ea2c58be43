"""Set-up of the tests of pools of Python environments."""

from __future__ import annotations

import cloudpickle

from . import awkward

# Worker processes cannot import the tests' modules.
cloudpickle.register_pickle_by_value(awkward)
