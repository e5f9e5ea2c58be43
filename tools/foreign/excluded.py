"""The tests of other projects that are known to fail on pools, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXCLUDED", "Excluded"]


@dataclass(frozen=True)
class Excluded:
    """Tests that are known to fail.

    Attributes:
        tests: patterns of `file::name`, in which * matches any text.
        why: "internal" (the test checks the project's own classes or messages), "decided" (pools
            differ on purpose), "absent" (the task or function does not exist here), "version" (the
            test belongs to another version of the project than the installed one, whose own classes
            fail as well; in a checkout of the installed version it may pass).
        reason: one sentence.
    """

    tests: tuple[str, ...]
    why: str
    reason: str


_DICT_INFO_TO_LIST = Excluded(
    ("test_dict_info_to_list.py::test_usage_in_vector_env",),
    "version",
    "expects an AssertionError from Gymnasium's wrapper; Gymnasium 1.4 raises a TypeError",
)

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
        ("test_human_rendering.py::test_render_modes",),
        "internal",
        'with `render_mode="rgb_array_list"`, `render` returns lists, as in SyncVectorEnv, with '
        "which this test also fails; CartPoleVectorEnv returns pictures instead",
    ),
    _DICT_INFO_TO_LIST,
)

_GYMNASIUM_PYTHON = (
    Excluded(
        (
            "test_async_vector_env.py::test_reset_out_of_order_async_vector_env[*",
            "test_async_vector_env.py::test_step_out_of_order_async_vector_env[*",
            "test_async_vector_env.py::test_reset_timeout_async_vector_env[*",
            "test_async_vector_env.py::test_step_timeout_async_vector_env[*",
        ),
        "internal",
        "they call `reset_async`, `step_wait` and the like of AsyncVectorEnv; pools have "
        "`async_reset`, `send` and `recv(timeout=)`",
    ),
    Excluded(
        ("test_async_vector_env.py::test_async_vector_subenv_error",),
        "decided",
        "an environment that raises is an EnvironmentFailedError, and the others go on; "
        "AsyncVectorEnv closes its worker, and the test compares the text of its warnings",
    ),
    Excluded(
        ("test_async_vector_env.py::test_custom_space_async_vector_env_shared_memory",),
        "decided",
        "expects a ValueError for a space that shared memory cannot hold; pools pickle it",
    ),
    Excluded(
        (
            "test_observation_mode.py::TestVectorEnvObservationModes"
            "::test_obs_mode_same_different_spaces[*",
        ),
        "decided",
        "expects an error for environments whose bounds differ; pools accept them, as Gymnasium "
        'does with `observation_mode="different"`',
    ),
    Excluded(
        ("test_vector_env.py::test_partial_reset_failure[*",),
        "internal",
        "a wrong `reset_mask` is an InputError or InputTypeError; the test compares the text of "
        "Gymnasium's AssertionErrors",
    ),
    Excluded(
        ("test_normalize_reward.py::test_equivalence_with_wrapper",),
        "internal",
        "reads `SyncVectorEnv.envs`; pools have `call` and `get_attr`",
    ),
    Excluded(
        (
            "test_normalize_reward.py::test_against_wrapper",
            "test_normalize_reward.py::test_functionality",
        ),
        "version",
        "the numbers changed with the NormalizeReward of Gymnasium 1.4",
    ),
    Excluded(
        ("test_autoreset_mode.py::test_autoreset_within_step[*",),
        "version",
        "expects `final_obs` as an array of numbers; in Gymnasium 1.4 it is an array of objects",
    ),
    Excluded(
        ("test_human_rendering.py::test_render_modes",),
        "version",
        "expects an AssertionError from Gymnasium's wrapper; Gymnasium 1.4 raises a ValueError",
    ),
    Excluded(
        (
            "test_record_video.py::test_both_episodic_and_step_trigger",
            "test_record_video.py::test_episodic_trigger[None]",
            "test_record_video.py::test_episodic_trigger[<lambda>]",
            "test_record_video.py::test_step_trigger",
            "test_record_video.py::test_video_folder_and_filenames",
            "test_record_video.py::test_video_length",
        ),
        "version",
        "they call RecordVideo with `aspect_ratio`, which Gymnasium 1.4 names `video_aspect_ratio`",
    ),
    _DICT_INFO_TO_LIST,
)

_ALE = (
    Excluded(
        ("test_atari_vector_env.py::TestVectorEnv::test_batch_size_async[*",),
        "decided",
        "with `batch_size < num_envs`, spaces describe `num_envs` rows and `reset` returns "
        "`num_envs` rows; in AtariVectorEnv both have `batch_size` rows",
    ),
)

_ENVPOOL = (
    Excluded(
        ("atari_envpool_test.py::_AtariEnvPoolTest::test_raw_envpool",),
        "internal",
        "calls EnvPool's extension module",
    ),
    Excluded(
        ("mujoco_render_test.py::MujocoRenderTest::test_human_render_uses_python_viewer",),
        "internal",
        "replaces a private method of EnvPool's",
    ),
    Excluded(
        tuple(
            f"mujoco_gym_align_test.py::_MujocoGymAlignTest::test_{task}"
            for task in (
                "ant",
                "half_cheetah",
                "hopper",
                "humanoid",
                "humanoid_standup",
                "inverted_double_pendulum",
                "inverted_pendulum",
                "pusher",
                "reacher",
                "swimmer",
                "walker2d",
            )
        ),
        "internal",
        'needs the infos "qpos0" and "qvel0", which only EnvPool\'s test builds have; EnvPool\'s '
        "wheels also fail these tests",
    ),
    Excluded(
        ("api_test.py::_GymSyncTest::test_lowlevel_step",),
        "decided",
        "sends the actions 4 and 5 to Breakout, which has four; that is an error here",
    ),
    Excluded(
        (
            "mujoco_gym_deterministic_test.py::_MujocoGymDeterministicTest"
            "::test_half_cheetah_supports_xml_file",
        ),
        "internal",
        "needs a model file of EnvPool's package",
    ),
    Excluded(
        (
            "atari_render_test.py::AtariRenderTest"
            "::test_render_matches_raw_rgb_obs_first_frame_for_all_tasks",
        ),
        "decided",
        "expects pictures of 210 lines; PAL games and a few others have up to 250 here",
    ),
    Excluded(
        ("make_test.py::_MakeTest::test_make_mujoco_gym",),
        "absent",
        "MuJoCo tasks before `-v4` (`Ant-v3`): Gymnasium no longer contains their rules",
    ),
    Excluded(
        ("make_test.py::_MakeTest::test_make_vizdoom",),
        "absent",
        "this package does not have this family",
    ),
    Excluded(
        tuple(
            f"make_test.py::_MakeTest::test_make_{family}" for family in ("minigrid", "mujoco_dmc")
        ),
        "decided",
        "EnvPool's API does not have the tasks of MiniGrid and of the Control Suite: "
        "`envpool_py.make` has them, with the numbers of `minigrid` and `dm_control`",
    ),
)

EXCLUDED: dict[str, tuple[Excluded, ...]] = {
    "ale": _ALE,
    "envpool": _ENVPOOL,
    "gymnasium": _GYMNASIUM,
    "gymnasium-python": _GYMNASIUM_PYTHON,
}
