"""The tests of other projects that are known to fail on pools, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXCLUDED", "Excluded"]


@dataclass(frozen=True)
class Excluded:
    """Tests that are known to fail.

    Attributes:
        tests: patterns of `file::name`, in which * stands for anything.
        why: "internal" (of the project's own classes and messages), "decided" (pools do something
            else on purpose), "absent" (a task or function that is not here).
        reason: one sentence.
    """

    tests: tuple[str, ...]
    why: str
    reason: str


_GYMNASIUM = (
    Excluded(
        (
            "test_async_vector_env.py::test_reset_out_of_order_async_vector_env[*",
            "test_async_vector_env.py::test_step_out_of_order_async_vector_env[*",
        ),
        "internal",
        "they call `reset_async`, `step_wait` and the like of AsyncVectorEnv; pools have "
        "`async_reset`, `send` and `recv`",
    ),
    Excluded(
        ("test_vector_env.py::test_partial_reset_failure[*",),
        "internal",
        "a wrong `reset_mask` is an InputError or InputTypeError; the test compares the text of "
        "Gymnasium's AssertionErrors",
    ),
    Excluded(
        (
            "test_async_vector_env.py::test_set_attr_async_vector_env[*",
            "test_sync_vector_env.py::test_set_attr_sync_vector_env",
            "test_vector_wrapper.py::test_vector_env_wrapper_attributes",
        ),
        "decided",
        "attributes cannot be set: options are given to `make`",
    ),
    Excluded(
        (
            "test_async_vector_env.py::test_call_async_vector_env[*",
            "test_sync_vector_env.py::test_call_sync_vector_env",
        ),
        "decided",
        '`call("gravity")`: environments in the engine are no Python objects; they have options',
    ),
    Excluded(
        ("test_human_rendering.py::test_render_modes",),
        "internal",
        '`render_mode="rgb_array_list"`: `render` returns lists, as SyncVectorEnv\'s does, with '
        "which this test fails, too; CartPoleVectorEnv returns pictures instead",
    ),
    Excluded(
        ("test_dict_info_to_list.py::test_usage_in_vector_env",),
        "internal",
        "wants an AssertionError from Gymnasium's wrapper, where Gymnasium 1.4 raises a TypeError",
    ),
)

EXCLUDED: dict[str, tuple[Excluded, ...]] = {"gymnasium": _GYMNASIUM, "ale": (), "envpool": ()}
