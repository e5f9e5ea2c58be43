"""Values of observations, as a learner's function or a column of the rollout gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.rollout.frameworks import Framework
from envpool_py.rollout.trees import Tree


class ValueColumns:
    """What every kind of rollout knows of values."""

    columns: dict[str, Any]

    _framework: Framework
    _host_columns: dict[str, NDArray[Any]]
    _host_rewards: NDArray[np.float32]

    def _values_of(self, value_of: Callable[[Tree], Any], observations: Tree, rows: int) -> Any:
        """Returns the values of observations, float32 (rows,), as a NumPy array."""
        values = np.empty(rows, np.float32)
        self._framework.store(self._framework.shared(values), value_of(observations))
        return values

    def _column_of_values(self) -> NDArray[Any]:
        """Returns the user's column "values".

        Raises:
            InputError: there is none with scalar rows.
        """
        values = self._host_columns.get("values")
        if values is None or values.shape != self._host_rewards.shape:
            raise InputError(
                'expected a column "values" with rows of shape (), got columns '
                f"{sorted(self.columns)}"
            )
        return values
