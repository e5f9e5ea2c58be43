"""Infos of a batch, compared with Gymnasium's batches of the same infos."""

from __future__ import annotations

import functools
import os
import pickle
import sys
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError

from . import awkward
from .comparing import WORKERS, compare

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ARRAY = np.arange(3.0)
HUGE = 2**70


class Real(float):
    """A subclass of a number."""


class Infos(dict[str, Any]):
    """A subclass of dict."""


class Scripted(awkward.Base):
    """Its steps take their infos from a list, in order; every third step ends the episode."""

    def __init__(self, infos: list[dict[Any, Any]]) -> None:
        super().__init__()
        self.infos = infos
        self.told = 0

    def step(self, action: Any) -> tuple[Any, ...]:
        self.told += 1
        observation = self.observe(action)
        return observation, 0.0, self.told % 3 == 0, False, self.infos[self.told % len(self.infos)]

    def info(self, what: Any) -> dict[str, Any]:
        return self.infos[0]


# Per environment, the infos of its steps. Gymnasium can batch all combinations.
SCRIPTS: dict[str, list[list[dict[Any, Any]]]] = {
    "same numbers": [[{"a": 1, "b": 2.5, "c": True}]] * 3,
    "late keys": [[{}, {"a": 1}, {"a": 2, "b": 1.5}], [{}, {}, {"b": -2.0}], [{}]],
    "keys that disappear": [[{"a": 1.5, "b": 2}, {"a": 2.5}, {}], [{"b": 3}, {}, {"a": 0.5}]],
    "order of keys": [[{"b": 2, "a": 1}], [{"a": 1, "b": 2}], [{"a": 1, "c": 3, "b": 2}]],
    "bool": [[{"a": True}], [{"a": False}], [{"a": True}]],
    "bool first": [[{"a": True}], [{"a": 2}], [{"a": 0.0}]],
    "int first": [[{"a": 1}], [{"a": 2.5}], [{"a": True}]],
    "float first": [[{"a": 1.5}], [{"a": True}], [{"a": 3}]],
    "NumPy scalars": [[{"a": np.float32(1), "b": np.int16(2)}], [{"a": np.float32(2)}], [{}]],
    "NumPy bool": [[{"a": np.bool_(True)}], [{"a": True}], [{"a": 1}]],
    "number first": [[{"a": True}], [{"a": np.bool_(True)}], [{"a": np.float16(0.5)}]],
    "types that change": [[{"a": 1}, {"a": 1.5}, {"a": np.uint8(3)}], [{"a": 2}, {"a": 0.5}]],
    "half": [[{"a": np.float16(0.1), "b": np.ones(2, np.float16)}]] * 2,
    "long double": [[{"a": np.longdouble(0.1)}], [{"a": np.longdouble(2)}]],
    "complex": [[{"a": np.complex64(1j), "b": np.ones(2, complex)}], [{"a": np.complex64(2)}]],
    "Python complex": [[{"a": 1j}], [{"a": 2j}]],
    "times": [[{"a": np.datetime64("2020-01-01")}], [{"a": np.datetime64("2021-01-01")}]],
    "arrays": [[{"a": ARRAY}, {"a": 2 * ARRAY}], [{"a": 3 * ARRAY}], [{}]],
    "arrays of other types": [[{"a": ARRAY}], [{"a": np.arange(3)}], [{"a": 1.5}]],
    "shapes that change": [[{"a": ARRAY}, {"a": np.ones((2, 2))}], [{"a": ARRAY}, {"a": 7}]],
    "no dimension": [[{"a": np.array(1.5), "b": np.zeros((0, 2))}]] * 2,
    "not contiguous": [[{"a": np.arange(12.0).reshape(3, 4).T[::2]}], [{"a": np.zeros((2, 3))}]],
    "swapped bytes": [[{"a": ARRAY.astype(">f8")}], [{"a": ARRAY}]],
    "arrays of no numbers": [[{"a": np.array(["x", "yz"])}], [{"a": np.array(["u", "v"])}]],
    "arrays of objects": [[{"a": np.array([None, {}], object)}], [{}]],
    "subclass of an array": [[{"a": np.ma.array([[1.0, 2.0]])}], [{"a": np.ones((1, 2))}]],
    "subclass of a number": [[{"a": Real(1.5)}], [{"a": 2.0}]],
    "text": [[{"a": "text", "b": 1}], [{"a": None, "b": 2}], [{"b": 3, "a": 1.5}]],
    "object first": [[{"a": None}], [{"a": 3}], [{"a": ARRAY}]],
    "huge": [[{"a": "x"}], [{"a": HUGE, "b": 1}]],
    "nested": [[{"a": {"b": 1, "c": {"d": "x"}}, "e": 2}], [{"a": {"b": 2}}], [{"a": {}}]],
    "keys that are no text": [[{3: 1, "a": 2}], [{"a": 5}], [{(1, 2): 1.5}]],
    "a key that is a mask": [[{"a": 1, "_a": 0}], [{"a": 2}], [{"_a": 1}]],
    "a mask that is a key": [[{"_a": 3}], [{"a": 2}], [{"_a": 0, "a": 4}]],
    "no Unicode": [[{"\udc80": 1, "a": 2}], [{"a": 3}]],
    "a subclass of dict": [[Infos(a=1)], [{"a": 2}]],
    "empty key": [[{"": 1, "é": 2.5}], [{"é": 1.5}]],
    "many keys": [[{f"key {i}": float(i) for i in range(300)}], [{}]],
    "large": [[{"a": np.arange(50_000)}], [{"a": np.ones(50_000, int)}]],
    "final observation": [[{"b": 1, "final_observation": 2.0}], [{"b": 2}]],
}


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize("name", SCRIPTS)
def test_as_gymnasium(name: str, workers: dict[str, Any]) -> None:
    fns = [functools.partial(Scripted, infos) for infos in SCRIPTS[name]]
    for mode in ["NextStep", "SameStep", "Disabled"]:
        compare(fns, mode, steps=7, **workers)


@pytest.mark.parametrize("workers", WORKERS, ids=str)
def test_the_order_of_keys(workers: dict[str, Any]) -> None:
    fns = [functools.partial(Scripted, infos) for infos in SCRIPTS["order of keys"]]
    reference = gymnasium.vector.SyncVectorEnv(fns)
    with envpool_py.make_python(fns, **workers, extra_infos=False) as pool:
        pool.reset()
        reference.reset()
        actions = np.zeros(3, int)
        assert list(pool.step(actions)[4]) == list(reference.step(actions)[4])


class Reusing(awkward.Base):
    """Reuses one dict of infos, and the arrays in it, for all steps."""

    def __init__(self) -> None:
        super().__init__(ends=0.3)
        self.all: dict[str, Any] = {"n": 0, "array": np.zeros(2), "nested": {"array": np.zeros(2)}}

    def info(self, what: Any) -> dict[str, Any]:
        self.all["n"] += 1
        self.all["array"] += 1
        self.all["nested"]["array"] -= 1
        return self.all


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_infos_that_the_environment_changes_later(mode: str, workers: dict[str, Any]) -> None:
    compare([Reusing] * 3, mode, steps=20, **workers)


AS_OTHERS = ", as in other environments"

# An info of environment 0, one of environment 1 that does not fit, and the message.
MISFITS: dict[str, tuple[Any, Any, str]] = {
    "a shape": (
        ARRAY,
        np.ones(2),
        f"info['a']: expected an array of shape (3,) and dtype float64{AS_OTHERS}, got an array "
        "of shape (2,) and dtype float64",
    ),
    "a list": (
        1.5,
        [1, 2],
        f"info['a']: expected a value for an array of dtype float64{AS_OTHERS}, got a list of 2 "
        "items",
    ),
    "a dict": (
        1,
        {"b": 1},
        f"info['a']: expected a value that is not a dict{AS_OTHERS}, got a dict with the keys "
        "['b']",
    ),
    "a number": ({"b": 1}, 1, f"info['a']: expected a dict{AS_OTHERS}, got int 1"),
    "a nested one": (
        {"b": {"c": 1}},
        {"b": {"c": "x"}},
        f"info['a']['b']['c']: expected a value for an array of dtype int64{AS_OTHERS}, got str "
        "'x'",
    ),
    "huge": (
        1,
        HUGE,
        f"info['a']: expected a value for an array of dtype int64{AS_OTHERS}, got int {HUGE}",
    ),
}


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize("name", MISFITS)
def test_what_gymnasium_cannot_gather_is_left_out(name: str, workers: dict[str, Any]) -> None:
    good, bad, message = MISFITS[name]
    fns = [
        functools.partial(Scripted, [{}, {"a": value, "other": 1}, {}])
        for value in (good, bad, good)
    ]
    with envpool_py.make_python(fns, **workers, extra_infos=False) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(np.zeros(3, int))
        assert failure.value.env_ids == [1]
        assert failure.value.causes == [f"TypeError: {message}"]
        assert str(failure.value).startswith(f"environment 1: TypeError: {message}; ")
        observations, *_, infos = failure.value.batch
        assert (observations != 0).all()
        assert infos["_a"].tolist() == [True, False, True]
        assert infos["_other"].all()
        pool.step(np.zeros(3, int))  # without a reset


class NotHere:
    """Can be pickled in a worker and not be unpickled in the pool's process."""

    def __reduce__(self) -> Any:
        return _only_in, (os.getpid(),)


def _only_in(process: int) -> None:
    if os.getpid() != process:
        raise OSError("not in this process")


class Elsewhere(awkward.Base):
    def info(self, what: Any) -> dict[str, Any]:
        return {"a": NotHere()}


def test_an_info_that_cannot_be_unpickled() -> None:
    fns = [functools.partial(Scripted, [{"a": None}]), Elsewhere]
    with envpool_py.make_python(fns, num_workers=1) as pool:
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.reset()
        assert failure.value.env_ids == [1]
        assert failure.value.causes == [
            "what it returned cannot be unpickled: OSError: not in this process"
        ]
        assert failure.value.batch[1]["_a"].tolist() == [True, False]


@pytest.mark.parametrize("workers", WORKERS, ids=str)
def test_keys_that_the_pool_has_itself(workers: dict[str, Any]) -> None:
    own = functools.partial(Scripted, [{"elapsed_step": 3, "env_id": 7.0}])
    with envpool_py.make_python([own, Scripted.__base__], **workers) as pool:
        infos = pool.reset()[1]
        assert infos["elapsed_step"].tolist() == [3, 0]
        assert infos["env_id"].tolist() == [7, 1]


def test_numbers_are_not_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[int] = []
    loads = pickle.loads

    def load(data: bytes) -> Any:
        loaded.append(len(data))
        return loads(data)

    monkeypatch.setattr(pickle, "loads", load)
    infos: list[dict[Any, Any]] = [{}, {"a": 1.5, "b": 2, "c": ARRAY}, {"a": 1, "d": np.int8(4)}]
    with envpool_py.make_python(functools.partial(Scripted, infos), 3, num_workers=2) as pool:
        pool.reset()
        loaded.clear()
        for _ in range(10):
            pool.step(np.zeros(3, int))
        assert loaded == []
        pool.get_attr("told")
        assert len(loaded) == 3
