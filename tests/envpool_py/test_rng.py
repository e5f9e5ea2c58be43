"""The engine's random numbers equal NumPy's bit for bit.

`envpool_py._testing` (built with ENVPOOL_TESTS=ON) exposes the C++ `Rng` and `SeedSequence` with
the method names of `numpy.random.Generator`.
"""

import importlib
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from gymnasium.utils import seeding

_testing: Any = importlib.import_module("envpool_py._testing")
Rng: Any = _testing.Rng

Generator = np.random.Generator

EDGE_SEEDS = [
    0,
    1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**32 + 1,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
_seed_source = random.Random(20240601)
SEEDS = (
    EDGE_SEEDS
    + list(range(2, 102))
    + [_seed_source.getrandbits(32) for _ in range(50)]
    + [_seed_source.getrandbits(64) for _ in range(50)]
)


@dataclass(frozen=True)
class Call:
    """A method and its arguments, to call on the engine's generator and on NumPy's.

    `numpy_args` and `keywords` are the arguments of NumPy's method if they differ from `args`.
    """

    method: str
    args: tuple[Any, ...] = ()
    numpy_method: str = ""
    numpy_args: tuple[Any, ...] | None = None
    keywords: dict[str, Any] = field(default_factory=dict)

    def ours(self, rng: Any) -> Any:
        return getattr(rng, self.method)(*self.args)

    def theirs(self, generator: Generator) -> Any:
        args = self.args if self.numpy_args is None else self.numpy_args
        return getattr(generator, self.numpy_method or self.method)(*args, **self.keywords)

    def __str__(self) -> str:
        text = f"{self.method}({', '.join(map(repr, self.args))})"
        return text if len(text) < 70 else f"{text[:60]}...{len(text)}"


def float32(method: str) -> Call:
    return Call(f"{method}_float32", numpy_method=method, keywords={"dtype": np.float32})


def integer_calls() -> list[Call]:
    calls = [Call("integers", (n,)) for n in (1, 2, 3, 48, 500, 2**32, 2**40 + 1)]
    int64 = np.iinfo(np.int64)
    ranges: list[tuple[str, int, int]] = [
        ("int64", low, low + span)
        for low in (0, -5, int64.min, 2**40)
        # Ranges just above a power of two reject nearly half of the draws.
        for span in (1, 2, 10, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**33, 2**62 + 2**61)
    ]
    ranges += [
        ("int64", int64.min, int64.max),
        ("int64", 0, int64.max),
        ("int64", -(2**62), 2**62 + 1),
    ]
    for bits in (8, 16, 32, 64):
        half, full = 2 ** (bits - 1), 2**bits
        spans = (1, 2, 3, half - 1, half, half + 1, half + half // 2, full - 2, full - 1)
        ranges += [(f"uint{bits}", 0, span) for span in spans]
        ranges += [(f"int{bits}", -half, -half + span) for span in spans]
    ranges += [("uint64", 2**63 + 7, 2**64 - 1), ("uint8", 17, 34), ("bool", 0, 1)]
    for dtype, low, high in ranges:
        ours = (bool(low), bool(high)) if dtype == "bool" else (low, high)
        keywords: dict[str, Any] = {"dtype": np.dtype(dtype)}
        calls.append(Call(f"integers_{dtype}", ours, "integers", (low, high), keywords))
        keywords = keywords | {"endpoint": True}
        calls.append(Call(f"integers_inclusive_{dtype}", ours, "integers", (low, high), keywords))
        calls.append(
            Call(f"integers_inclusive_{dtype}", ours[:1] * 2, "integers", (low, low), keywords)
        )
    whole = {"dtype": np.int64, "endpoint": True}
    calls.append(Call("integers_inclusive_int64", (int64.min, int64.max), "integers", None, whole))
    return calls


def probability_vectors() -> list[list[float]]:
    source = np.random.default_rng(5)
    vectors = [
        [1.0],
        [0.0, 1.0],
        [1.0, 0.0],
        [0.5, 0.0, 0.5, 0.0],
        [0.1, 0.2, 0.7],
        [1 / 3, 1 / 3, 1 / 3],
        [0.1] * 10,
        [0.25, 0.25, 0.5 + 1e-9],
        [1 - 1e-12, 1e-12],
    ]
    for size in (2, 7, 64, 500):
        weights = source.random(size)
        vectors.append((weights / weights.sum()).tolist())
    return vectors


def sequence_calls() -> list[Call]:
    calls = [Call("choice", (n,)) for n in (1, 2, 13, 2**31 + 1, 2**32, 2**32 + 1, 2**62)]
    for p in probability_vectors():
        calls.append(Call("choice_p", (p,), "choice", (len(p),), {"p": p}))
        if sum(p[:-1]) <= 1:
            calls += [Call("multinomial", (n, p)) for n in (0, 1, 20, 1000, 10**12)]
    calls += [Call("permutation", (n,)) for n in (0, 1, 2, 3, 10, 64, 65, 300)]
    return calls


def distribution_calls() -> list[Call]:
    arguments: dict[str, Sequence[tuple[float, ...]]] = {
        "random": [()],
        "uniform": [
            (0.0, 1.0),
            (-0.05, 0.05),
            (-np.pi, np.pi),
            (3.0, 3.0),
            (-1e308, 7e307),
            (0.1, 1e-3 + 0.1),
        ],
        "standard_normal": [()],
        "normal": [(0.0, 1.0), (-3.5, 0.25), (2.0, 0.0), (1e300, 1e-300), (0.0, np.inf)],
        "lognormal": [(0.0, 1.0), (2.5, 0.1), (0.0, 0.0)],
        "standard_exponential": [()],
        "exponential": [(1.0,), (0.125,), (0.0,), (1e10,)],
        "standard_gamma": [(0.0,), (1e-3,), (0.5,), (1.0,), (1.5,), (300.0,)],
        "gamma": [(0.0, 2.0), (0.3, 2.0), (1.0, 0.5), (9.0, 0.1), (5.0, 0.0)],
        "beta": [(0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (0.2, 8.0), (1e-3, 1e-3), (1e-5, 2e-5)],
        "chisquare": [(0.5,), (1.0,), (2.0,), (40.0,)],
        "standard_t": [(0.5,), (1.0,), (3.0,), (1e6,)],
        "standard_cauchy": [()],
        "laplace": [(0.0, 1.0), (-2.0, 0.3), (1.0, 0.0)],
        "logistic": [(0.0, 1.0), (-2.0, 0.3), (1.0, 0.0)],
        "gumbel": [(0.0, 1.0), (-2.0, 0.3), (1.0, 0.0)],
        "rayleigh": [(1.0,), (0.2,), (0.0,)],
        "weibull": [(0.0,), (0.5,), (1.0,), (7.0,)],
        "triangular": [(0.0, 0.5, 1.0), (-3.0, -3.0, 8.0), (-3.0, 8.0, 8.0)],
        "vonmises": [(0.0, 0.0), (0.0, 1e-9), (1.0, 1e-6), (0.5, 1.0), (-3.0, 40.0), (0.1, 1e7)],
        "poisson": [(0.0,), (0.3,), (9.99,), (10.0,), (1e3,), (1e15,), (9e18,)],
        "geometric": [(1.0,), (0.5,), (1 / 3,), (0.2,), (1e-3,), (1e-18,)],
        "binomial": [
            *[(0, 0.5), (10, 0.0), (10, 1.0), (1, 0.5), (10, 0.3), (10, 0.7), (59, 0.5)],
            *[(1000, 0.4), (1000, 0.6), (61, 0.5), (10**9, 1e-9), (10**15, 0.25), (300, 0.9)],
        ],
    }
    calls = [Call(method, args) for method, lists in arguments.items() for args in lists]
    calls += map(float32, ("random", "standard_normal", "standard_exponential"))
    return calls


CALLS = [
    Call("next_uint64", (), "integers", (0, 2**64 - 1), {"dtype": np.uint64, "endpoint": True}),
    Call("next_uint32", (), "integers", (0, 2**32), {"dtype": np.uint32}),
    *integer_calls(),
    *sequence_calls(),
    *distribution_calls(),
]


def bits(value: Any) -> Any:
    """Returns the bytes of floats (which tell -0.0 from 0.0), and other values as integers."""
    if isinstance(value, (list, np.ndarray)):
        return [bits(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return struct.pack("<d", float(value))
    return int(value)


def state_of(generator: Generator) -> tuple[int, ...]:
    """Returns NumPy's state in the order and the 64-bit halves of `Rng.state`."""
    state = generator.bit_generator.state
    inner = state["state"]
    return (
        *divmod(inner["state"], 2**64),
        *divmod(inner["inc"], 2**64),
        state["has_uint32"],
        state["uinteger"],
    )


def assert_same_draw(call: Call, rng: Any, generator: Generator) -> None:
    ours, theirs = call.ours(rng), call.theirs(generator)
    assert bits(ours) == bits(theirs), f"{call}: {ours!r} is not NumPy's {theirs!r}"
    assert rng.state == state_of(generator), f"{call} left another state"


def test_the_seeds_are_many_and_distinct() -> None:
    assert len(set(SEEDS)) >= 200


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_call_over_all_seeds(call: Call) -> None:
    for index, seed in enumerate(SEEDS):
        rng, generator = Rng(seed), np.random.default_rng(seed)
        if index % 2:  # buffers one half of a 64-bit draw
            assert rng.next_uint32() == generator.integers(0, 2**32, dtype=np.uint32)
        for _ in range(3):
            assert_same_draw(call, rng, generator)


@pytest.mark.parametrize("seed", SEEDS)
def test_calls_of_all_kinds_interleaved(seed: int) -> None:
    order = random.Random(seed)
    rng, generator = Rng(seed), np.random.default_rng(seed)
    for call in order.choices(CALLS, k=400):
        assert_same_draw(call, rng, generator)


def test_rare_branches_of_the_ziggurats() -> None:
    """Draws often enough to reach the tails and rejections of the most used distributions."""
    count = 200_000
    for method in ("standard_normal", "standard_exponential"):
        for suffix, dtype in (("", np.float64), ("_float32", np.float32)):
            rng, generator = Rng(11), np.random.default_rng(11)
            ours = [getattr(rng, method + suffix)() for _ in range(count)]
            theirs = getattr(generator, method)(count, dtype=dtype)
            assert np.array_equal(np.array(ours, dtype), theirs)
            assert rng.state == state_of(generator)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 33, 257])
def test_shuffle_equals_that_of_arrays_and_of_lists(size: int) -> None:
    values = [float(value) for value in range(size)]
    for seed in SEEDS:
        rng, generator = Rng(seed), np.random.default_rng(seed)
        array, ours = np.array(values), rng.shuffle(values)
        generator.shuffle(array)
        assert ours == array.tolist()
        assert rng.state == state_of(generator)
        as_list = values.copy()
        np.random.default_rng(seed).shuffle(as_list)
        assert ours == as_list


@pytest.mark.parametrize("excess", [0.0, 1e-8, -1e-8])
def test_choice_where_the_draw_meets_a_boundary(excess: float) -> None:
    """Uses probabilities close to the coming draw, and sums slightly different from 1."""
    chosen = set()
    for seed in SEEDS:
        draw = np.random.default_rng(seed).random()
        first = [draw, np.nextafter(draw, 0.0), np.nextafter(draw, 1.0)]
        first += [draw * (1 + excess * share) for share in (0.5, 1, 2)]
        for p0 in first:
            p = [float(p0), float(1 - p0 + excess)]
            rng, generator = Rng(seed), np.random.default_rng(seed)
            assert_same_draw(Call("choice_p", (p,), "choice", (2,), {"p": p}), rng, generator)
            chosen.add(Rng(seed).choice_p(p))
    assert chosen == {0, 1}


def test_long_permutation() -> None:
    rng, generator = Rng(3), np.random.default_rng(3)
    assert rng.permutation(100_000) == generator.permutation(100_000).tolist()
    assert rng.state == state_of(generator)


@pytest.mark.parametrize("seed", EDGE_SEEDS)
def test_seeding_equals_gymnasium(seed: int) -> None:
    generator, used = seeding.np_random(seed)
    assert used == seed
    assert Rng(seed).state == state_of(generator)


def test_unseeded_is_seed_zero_and_seed_starts_over() -> None:
    rng = Rng()
    assert rng.state == state_of(np.random.default_rng(0))
    rng.next_uint32()
    rng.seed(99)
    assert rng.state == state_of(np.random.default_rng(99))


def test_a_copy_and_a_restored_state_go_on_alike() -> None:
    rng, generator = Rng(17), np.random.default_rng(17)
    rng.next_uint32()
    generator.integers(0, 2**32, dtype=np.uint32)
    copies = [rng.copy(), Rng.from_state(rng.state), Rng.from_state(state_of(generator))]
    expected = [rng.next_uint32(), rng.next_uint64(), rng.next_uint32(), rng.next_uint32()]
    for copy in copies:
        drawn = [copy.next_uint32(), copy.next_uint64(), copy.next_uint32(), copy.next_uint32()]
        assert drawn == expected
        assert copy.state == rng.state


SPAWN_KEYS: list[tuple[int, ...]] = [
    (),
    (0,),
    (1,),
    (7, 0),
    (2**32 - 1,),
    (2**32,),
    (1, 2, 3, 4, 5),
]


@pytest.mark.parametrize("spawn_key", SPAWN_KEYS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_seed_sequence_of_an_integer(spawn_key: tuple[int, ...], count: int) -> None:
    for seed in SEEDS:
        sequence = np.random.SeedSequence(seed, spawn_key=spawn_key)
        assert (
            _testing.generate_state_32([seed], spawn_key, count)
            == sequence.generate_state(count).tolist()
        )
        assert (
            _testing.generate_state_64([seed], spawn_key, count)
            == sequence.generate_state(count, np.uint64).tolist()
        )


@pytest.mark.parametrize("spawn_key", SPAWN_KEYS, ids=str)
def test_seed_sequence_of_lists(spawn_key: tuple[int, ...]) -> None:
    source = random.Random(8)
    lists = [
        [],
        [0],
        [0, 0],
        [2**32, 1],
        [1, 2, 3, 4],
        [1, 2, 3, 4, 0],
        [5, 2**64 - 1, 0, 9, 2**32],
    ]
    lists += [[source.getrandbits(32) for _ in range(size)] for size in range(1, 20)]
    lists += [[source.getrandbits(64) for _ in range(size)] for size in range(1, 20)]
    for entropy in lists:
        sequence = np.random.SeedSequence(entropy, spawn_key=spawn_key)
        expected = sequence.generate_state(6, np.uint64).tolist()
        assert _testing.generate_state_64(entropy, spawn_key, 6) == expected
        generator = np.random.Generator(np.random.PCG64(sequence))
        assert Rng.from_entropy(entropy, spawn_key).state == state_of(generator)


@pytest.mark.parametrize("spawn_key", SPAWN_KEYS, ids=str)
def test_seed_sequence_of_128_bits(spawn_key: tuple[int, ...]) -> None:
    source = random.Random(9)
    numbers = [0, 1, 2**32 - 1, 2**32, 2**64 - 1, 2**64, 2**64 + 1, 2**96 - 1, 2**96, 2**128 - 1]
    numbers += [
        source.getrandbits(bit_count) for bit_count in (64, 80, 96, 100, 128) for _ in range(40)
    ]
    for number in numbers:
        high, low = divmod(number, 2**64)
        sequence = np.random.SeedSequence(number, spawn_key=spawn_key)
        assert (
            _testing.generate_state_32_uint128(high, low, spawn_key, 8)
            == sequence.generate_state(8).tolist()
        )
        assert (
            _testing.generate_state_64_uint128(high, low, spawn_key, 4)
            == sequence.generate_state(4, np.uint64).tolist()
        )


def test_seed_sequence_children() -> None:
    root = np.random.SeedSequence(12345)
    for index, child in enumerate(root.spawn(5)):
        expected = child.generate_state(4).tolist()
        assert _testing.generate_state_32([12345], (index,), 4) == expected
        grandchild = child.spawn(2)[1].generate_state(4).tolist()
        assert _testing.generate_state_32([12345], (index, 1), 4) == grandchild


NAN, INF = float("nan"), float("inf")
REFUSED = [
    *[Call("uniform", args) for args in ((1.0, 0.0), (0.0, INF), (-INF, 0.0), (NAN, 1.0))],
    *[Call("uniform", args) for args in ((-1e308, 1e308), (0.0, -0.0))],
    *[Call("integers", args) for args in ((0,), (-3,), (5, 5), (5, 4))],
    Call("integers_uint8", (3, 3), "integers", None, {"dtype": np.uint8}),
    Call("integers_inclusive_int64", (1, 0), "integers", None, {"endpoint": True}),
    *[Call("choice", (n,)) for n in (0, -1)],
    *[
        Call("choice_p", (p,), "choice", (max(len(p), 1),), {"p": p})
        for p in ([], [0.5, 0.4], [1.5, -0.5], [NAN, 1.0], [0.5, 0.5 + 1e-7], [INF, 0.0])
    ],
    *[Call(name, (0.0, -1.0)) for name in ("normal", "lognormal", "laplace", "logistic", "gumbel")],
    *[Call(name, (-1.0,)) for name in ("exponential", "standard_gamma", "rayleigh", "weibull")],
    *[Call(name, (-0.0,)) for name in ("exponential", "standard_gamma", "rayleigh", "weibull")],
    *[Call("gamma", args) for args in ((-1.0, 1.0), (1.0, -1.0))],
    *[Call("beta", args) for args in ((0.0, 1.0), (1.0, -1.0))],
    *[Call(name, (0.0,)) for name in ("chisquare", "standard_t")],
    Call("vonmises", (0.0, -1.0)),
    *[Call("triangular", args) for args in ((2.0, 1.0, 3.0), (0.0, 4.0, 3.0), (1.0, 1.0, 1.0))],
    *[Call("binomial", args) for args in ((-1, 0.5), (3, -0.1), (3, 1.1), (3, NAN))],
    *[Call("poisson", (lam,)) for lam in (-1.0, NAN, INF, 2.0**63)],
    *[Call("geometric", (p,)) for p in (0.0, -0.1, 1.1, NAN)],
    *[
        Call("multinomial", args)
        for args in ((-1, [0.5, 0.5]), (3, [0.9, 0.2, 0.0]), (3, [-0.1, 1.1]), (3, [NAN, 0.5]))
    ],
]


@pytest.mark.parametrize("call", REFUSED, ids=str)
def test_refuses_what_numpy_refuses_and_draws_nothing(call: Call) -> None:
    rng = Rng(1)
    with pytest.raises((ValueError, OverflowError)):
        call.theirs(np.random.default_rng(1))
    with pytest.raises(RuntimeError, match=r"^Rng::"):
        call.ours(rng)
    assert rng.state == Rng(1).state


@pytest.mark.parametrize(
    "draw", [lambda rng: rng.normal(NAN, 1.0), lambda rng: rng.normal(0.0, NAN)]
)
def test_nan_passes_where_numpy_lets_it(draw: Callable[[Any], float]) -> None:
    rng, generator = Rng(1), np.random.default_rng(1)
    assert np.isnan(draw(rng))
    assert np.isnan(draw(generator))
    assert rng.state == state_of(generator)
