"""Trees: arrays and texts in nested dicts and tuples."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from envpool_py.pool import trees

ARRAY = np.arange(6.0).reshape(3, 2)
TEXTS = ("go", "to", "")


@pytest.mark.parametrize("row", [trees.row, trees.copied_row])
def test_row_of_an_array_a_dictionary_and_a_tuple(row: Any) -> None:
    assert row(ARRAY, 1).tolist() == [2, 3]
    nested = row({"z": ARRAY, "b": (ARRAY, np.array([7, 8, 9])), "a": TEXTS}, 2)
    assert [*nested] == ["z", "b", "a"]
    assert nested["z"].tolist() == [4, 5]
    assert isinstance(nested["b"], tuple)
    assert nested["b"][0].tolist() == [4, 5]
    assert nested["b"][1] == 9
    assert nested["a"] == ""


def test_a_copied_row_does_not_keep_its_batch() -> None:
    array = np.zeros((3, 2))
    part = trees.copied_row(array, 0)
    part[:] = 5
    assert part.base is None
    assert not array.any()


def test_texts_are_leaves() -> None:
    tree = {"b": (1, ()), "a": TEXTS}
    assert [*trees.leaves(tree)] == [(("b", 0), 1), (("a",), TEXTS)]
    assert trees.map_leaves(lambda leaf: [leaf], tree) == {"b": ([1], ()), "a": [TEXTS]}
    assert trees.map_arrays(lambda leaf: [leaf], tree) == {"b": ([1], ()), "a": TEXTS}
    assert not trees.is_texts(())
    assert not trees.is_texts("text")


def test_several_trees() -> None:
    one, two = {"a": 1, "b": (2, TEXTS)}, MappingProxyType({"b": (3, ARRAY), "a": 4})
    pairs = trees.map_trees(lambda *leaves: leaves, one, two)
    assert pairs == {"a": (1, 4), "b": ((2, 3), (TEXTS, ARRAY))}
    assert trees.map_leaves(np.ndim, two) == {"b": (0, 2), "a": 0}
    with pytest.raises(ValueError, match="shorter"):
        trees.map_trees(lambda *leaves: leaves, (1, 2), (1,))
