"""The differences from EnvPool 1.2.5 and 1.2.7, each with a text for the guide and a program.

`test_differences.py` runs each program with this package and, if it is installed, with EnvPool.
`tools/guide/envpool_differences.py` generates the tables of `docs/coming-from-envpool.md` from
this module. The module imports neither library: each program takes the library as its argument.
"""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes:
        title: the behaviour that differs.
        envpool: EnvPool's behaviour.
        here: the behaviour of this package.
        change: the change that a program needs; for the main API, the reason for the difference.
        program: takes the library and returns its observations.
        sees: the program's result with this package.
        envpool_sees: the program's result with EnvPool.
        alone: whether EnvPool runs in its own process, because it may hang or crash.
        needs: a module that the program needs.
        here_needs: a module that the program needs with this package.
        unseen: why the program is not run with EnvPool; empty if it is run.
    """

    title: str
    envpool: str
    here: str
    change: str
    program: Callable[[Any], Any]
    sees: Any
    envpool_sees: Any = None
    alone: bool = False
    needs: str = ""
    here_needs: str = ""
    unseen: str = ""


def seen(difference: Difference, library: Any) -> Any:
    """Returns the program's result and suppresses its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return difference.program(library)


def outcome(call: Callable[[], Any]) -> str:
    """Returns the name of the exception that a call raises, or "no error"."""
    try:
        call()
    except Exception as error:
        return name_of(error)
    return "no error"


def name_of(error: BaseException) -> str:
    """Returns the name of an exception's class, for JaxRuntimeError in all versions of JAX."""
    name = type(error).__name__
    return "JaxRuntimeError" if name == "XlaRuntimeError" else name  # as in JAX 0.6.0


NO_ERROR = "no error"


# The compat module.


def _first_observations_are_gymnasiums(envpool: Any) -> bool:
    import gymnasium

    env = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=5)
    expected, _ = gymnasium.make_vec("CartPole-v1", 3, "sync").reset(seed=5)
    return np.array_equal(env.reset()[0], expected)


def _handle_used_twice(envpool: Any) -> str:
    import jax

    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    handle, _recv, _send, step = env.xla()
    env.reset()
    action = np.zeros(2, np.int32)
    step(handle, action)
    return outcome(lambda: jax.block_until_ready(step(handle, action)))


def _older_mujoco_ids(envpool: Any) -> list[str]:
    return [outcome(lambda i=i: envpool.make_spec(i)) for i in ("Ant-v3", "Pusher-v4")]


def _pendulum_limits_before_it_moves(envpool: Any) -> bool:
    """Returns whether the angle moves by the limited speed when the speed reaches its limit."""
    env = envpool.make_gymnasium("Pendulum-v1", num_envs=1, seed=11)
    obs, _ = env.reset()
    for _ in range(150):
        angle, speed = np.arctan2(np.float64(obs[0, 1]), np.float64(obs[0, 0])), obs[0, 2]
        obs = env.step(np.full((1, 1), 2.0 if speed >= 0 else -2.0, np.float32))[0]
        if abs(obs[0, 2]) == 8.0:
            moved = np.arctan2(np.float64(obs[0, 1]), np.float64(obs[0, 0])) - angle
            apart = (moved - float(obs[0, 2]) * 0.05 + np.pi) % (2 * np.pi) - np.pi
            return abs(float(apart)) < 1e-5
    raise AssertionError("the limit was not reached")


def _other_families(envpool: Any) -> list[str]:
    ids = ("highway-fast-v0", "Snake-v1")
    return [outcome(lambda i=i: envpool.make_spec(i)) for i in ids]


def _pixels_of_robotics(envpool: Any) -> list[str]:
    ids = ("FetchReach-v4", "MetaWorld/Reach-v3")
    return [outcome(lambda i=i: envpool.make_spec(i, from_pixels=True)) for i in ids]


def _fewer_tasks_of_the_kitchen(envpool: Any) -> str:
    return outcome(lambda: envpool.make_spec("FrankaKitchen-v1", tasks_to_complete=["kettle"]))


def _infos_of_a_reset_of_metaworld(envpool: Any) -> bool:
    env = envpool.make_gymnasium("MetaWorld/Reach-v3", num_envs=2)
    return bool(env.reset()[1]["in_place_reward"].any())


def _dm_control(envpool: Any) -> list[str]:
    ids = ("CheetahRun-v1", "DogFetch-v1")
    return [outcome(lambda i=i: envpool.make_spec(i)) for i in ids]


def _minigrid(envpool: Any) -> list[str]:
    ids = ("MiniGrid-DoorKey-8x8-v0", "BabyAI-BossLevel-v0")
    return [outcome(lambda i=i: envpool.make_spec(i)) for i in ids]


def _register(envpool: Any) -> str:
    names = ("MineEnvSpec", "MineDMEnvPool", "MineGymnasiumEnvPool")
    return outcome(lambda: envpool.register("Mine-v0", "mine", *names))


def _receives_nothing(envpool: Any) -> str:
    """Returns the result of `recv` with nothing in flight; a blocked call is freed at the end."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2, batch_size=1, num_threads=1)
    env.async_reset()
    env.recv()
    env.recv()
    came: list[str] = []
    receiver = threading.Thread(target=lambda: came.append(outcome(env.recv)), daemon=True)
    receiver.start()
    receiver.join(timeout=1.0)
    if came:
        return came[0]
    env.send(np.zeros(1, np.int32), np.zeros(1, np.int32))
    receiver.join(timeout=30.0)
    return f"waited, then {came[0]}"


def _sends_twice(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, batch_size=2, num_threads=1)
    env.reset()
    env.recv()
    zeros = np.zeros(2, np.int32)
    env.send(zeros, np.array([0, 1], np.int32))
    return outcome(lambda: env.send(zeros, np.array([0, 1], np.int32)))


def _batches_after_a_reset(envpool: Any) -> int:
    """Counts the batches of two after `reset` is called with four environments in flight."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, batch_size=2, num_threads=1)
    env.async_reset()
    env.reset()
    batches = 1
    while batches < 4 and outcome(env.recv) == NO_ERROR:
        batches += 1
    return batches


def _rows_of_a_reset_of_some(envpool: Any) -> list[int]:
    """Returns the ids of the rows after a reset of three environments with batches of two."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, batch_size=2, num_threads=1)
    env.async_reset()
    env.recv()
    env.recv()
    info = env.reset(np.array([3, 0, 1], np.int32))[1]
    return sorted(info["env_id"].tolist()) if len(info["env_id"]) == 3 else [-1, -1]


def _wrong_action(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    return outcome(lambda: env.step(np.array([0, 7], np.int32)))


def _assigns(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    return outcome(lambda: setattr(env, "num_envs", 2))


def _steps_after_close(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    env.close()
    return outcome(lambda: env.step(np.zeros(2, np.int32)))


def _renders_another_camera(envpool: Any) -> str:
    env = envpool.make_gymnasium("Ant-v5", num_envs=1, render_mode="rgb_array")
    env.reset()
    return outcome(lambda: env.render(camera_id=0))


def _small_picture_is_of_nearest_pixels(envpool: Any) -> bool:
    pictures = []
    for width, height in ((600, 400), (300, 200)):
        env = envpool.make_gymnasium(
            "CartPole-v1", render_mode="rgb_array", render_width=width, render_height=height
        )
        env.reset()
        pictures.append(env.render()[0])
    return np.array_equal(pictures[0][1::2, 1::2], pictures[1])


def _infos_of_a_reset(envpool: Any) -> bool:
    env = envpool.make_gymnasium("Ant-v5", num_envs=2)
    return bool(env.reset()[1]["x_position"].any())


def _frame_is_the_picture(envpool: Any) -> bool:
    """Returns whether the observation of a PAL game is its whole picture of 250 lines."""
    env = envpool.make_gymnasium(
        "Adventure-v5", num_envs=1, img_height=250, img_width=160, stack_num=1, frame_skip=1,
        gray_scale=False, use_inter_area_resize=False, render_mode="rgb_array",
    )  # fmt: skip
    frame = env.reset()[0][0].transpose(1, 2, 0)
    return np.array_equal(frame, env.render()[0])


def _threshold(envpool: Any) -> float:
    return float(envpool.make_spec("Hopper-v4").config.reward_threshold)


COMPAT = (
    Difference(
        "random numbers for a given seed",
        "its own",
        "[Gymnasium's](seeding.md); for Atari EnvPool's",
        "nothing; do not compare single episodes",
        _first_observations_are_gymnasiums,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "a handle of `xla()`",
        "can be used again, with different results",
        "can be used once; after that it is an error",
        "pass on the handle that each call returns; after a reset of all environments from Python, "
        "the first handle is valid again",
        _handle_used_twice,
        sees="JaxRuntimeError",
        envpool_sees=NO_ERROR,
        needs="jax",
    ),
    Difference(
        "MuJoCo before `-v4`, `Pusher-v4`",
        "available",
        "an error that names the id to use",
        '`"Ant-v3"` becomes `"Ant-v4"`, `"Pusher-v4"` becomes `"Pusher-v5"`',
        _older_mujoco_ids,
        sees=["UnknownIdError", "UnknownIdError"],
        envpool_sees=[NO_ERROR, NO_ERROR],
    ),
    Difference(
        "`Pendulum-v1`",
        "integrates the angle with the speed before it is limited, like `Pendulum-v0`",
        "limits the speed first, as Gymnasium does",
        'use `"Pendulum-v0"` for EnvPool\'s dynamics',
        _pendulum_limits_before_it_moves,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "MiniGrid and BabyAI",
        "available, with levels of its own and missions as bytes",
        "refused; `envpool_py.make` has them with the levels and missions of `minigrid`",
        "use `envpool_py.make`, or EnvPool: a program can import both libraries",
        _minigrid,
        sees=["UnknownIdError"] * 2,
        envpool_sees=[NO_ERROR] * 2,
    ),
    Difference(
        "dm_control",
        "available, with seeds and some observations of its own",
        "refused; `envpool_py.make` has them with the numbers of `dm_control`",
        "use `envpool_py.make`, or EnvPool: a program can import both libraries",
        _dm_control,
        sees=["UnknownIdError"] * 2,
        envpool_sees=[NO_ERROR] * 2,
    ),
    Difference(
        "`from_pixels` of Gymnasium-Robotics and MetaWorld",
        "available",
        "an error",
        '`render_mode="rgb_array"` draws these tasks; or use EnvPool',
        _pixels_of_robotics,
        sees=["ConfigValueError"] * 2,
        envpool_sees=[NO_ERROR] * 2,
    ),
    Difference(
        "`tasks_to_complete` of FrankaKitchen",
        "any of the seven; all goals are observed",
        "all seven; fewer are an error",
        "use `envpool_py.make`, where the goals of the given tasks are observed",
        _fewer_tasks_of_the_kitchen,
        sees="ConfigNameError",
        envpool_sees=NO_ERROR,
    ),
    Difference(
        "MetaWorld infos after a reset",
        "those of the start",
        "zeros, as the original has none; `task_id` is there",
        "nothing",
        _infos_of_a_reset_of_metaworld,
        sees=False,
        envpool_sees=True,
        here_needs="metaworld",
    ),
    Difference(
        "families that are not here, such as highway-env",
        "available",
        "unknown ids; the error names the family",
        "use EnvPool for them: a program can import both libraries",
        _other_families,
        sees=["UnknownIdError"] * 2,
        envpool_sees=[NO_ERROR] * 2,
    ),
    Difference(
        "`register`",
        "loads extension modules that were built for EnvPool",
        "an error",
        "write [an environment of your own](your-own-environment.md)",
        _register,
        sees="NotSupportedError",
        envpool_sees=NO_ERROR,
        alone=True,
    ),
    Difference(
        "`recv` when too few environments are in flight",
        "waits until another thread sends",
        "`NothingInFlightError`, even if another thread is about to send",
        "call `send` before `recv`",
        _receives_nothing,
        sees="NothingInFlightError",
        envpool_sees="waited, then no error",
        alone=True,
    ),
    Difference(
        "`send` to an environment in flight",
        "accepted",
        "`EnvIdError`",
        "call `recv` first",
        _sends_twice,
        sees="EnvIdError",
        envpool_sees=NO_ERROR,
        alone=True,
    ),
    Difference(
        "`reset()` of an asynchronous pool",
        "`recv` also returns the results that were in flight before",
        "discards the results that were in flight",
        "nothing",
        _batches_after_a_reset,
        sees=2,
        envpool_sees=4,
        alone=True,
    ),
    Difference(
        "`reset(env_id)` of an asynchronous pool",
        "`batch_size` rows, from any of the given ids",
        "one row for each given id",
        "nothing",
        _rows_of_a_reset_of_some,
        sees=[0, 1, 3],
        envpool_sees=[-1, -1],
        alone=True,
    ),
    Difference(
        "a wrong action, id or shape",
        "undefined: the step returns, hangs, or ends the process",
        "an error, which derives from the built-in class that EnvPool raises in similar cases",
        "correct the action",
        _wrong_action,
        sees="InputError",
        unseen="undefined: a step returned in some runs and never came back in others",
    ),
    Difference(
        "assignments to `num_envs`, `single_action_space`, `is_vector_env`",
        "`AttributeError`",
        "accepted, as in EnvPool before 1.0",
        "nothing",
        _assigns,
        sees=NO_ERROR,
        envpool_sees="AttributeError",
    ),
    Difference(
        "a call after `close()`",
        "works",
        "`ClosedError`; the pool's threads and memory are released",
        "call `close` last",
        _steps_after_close,
        sees="ClosedError",
        envpool_sees=NO_ERROR,
    ),
    Difference(
        "`render(camera_id=)`",
        "any camera",
        "only the camera that was given to `make`",
        "`make(..., render_camera_id=0)`",
        _renders_another_camera,
        sees="PictureError",
        unseen="EnvPool draws MuJoCo with OpenGL, which a machine without a screen may lack",
    ),
    Difference(
        "`render_width`, `render_height` of tasks other than MuJoCo",
        "draws in that size",
        "draws in full size, and scales by nearest neighbour",
        "nothing; or omit them and scale the picture yourself",
        _small_picture_is_of_nearest_pixels,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "MuJoCo infos after a reset",
        "zeros",
        "positions, in `-v5` tasks",
        "nothing",
        _infos_of_a_reset,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "frames of PAL Atari games",
        "the upper 210 lines; memory, rewards and lives are the same",
        "all 250 lines",
        "nothing",
        _frame_is_the_picture,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "`reward_threshold` of `Hopper`",
        "6000",
        "3800, Gymnasium's",
        "compare with 6000 explicitly",
        _threshold,
        sees=3800.0,
        envpool_sees=6000.0,
    ),
)


# The main API: programs get the module envpool_py.


def _space_of_actions(envpool: Any) -> str:
    return type(envpool.make_gymnasium("CartPole-v1", num_envs=2).action_space).__name__


def _dtype_of_rewards(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    return env.step(np.zeros(2, np.int32))[1].dtype.name


def _two_pools_without_a_seed_are_equal(envpool: Any) -> bool:
    pools = [envpool.make_gymnasium("CartPole-v1", num_envs=2) for _ in range(2)]
    return np.array_equal(*(pool.reset()[0] for pool in pools))


def _resets_with_a_seed_are_equal(envpool: Any) -> bool:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    return np.array_equal(env.reset(seed=3)[0], env.reset(seed=3)[0])


def _flags_of_a_fall_on_the_last_step(envpool: Any) -> list[bool]:
    """Returns both flags of an episode whose pole falls on the last allowed step."""
    common = {"num_envs": 64, "seed": 0}
    env = envpool.make_gymnasium("CartPole-v1", **common)
    env.reset()
    length, fell = 1, env.step(np.zeros(64, np.int32))[2]
    while not fell.any():
        length, fell = length + 1, env.step(np.zeros(64, np.int32))[2]
    env = envpool.make_gymnasium("CartPole-v1", **common, max_episode_steps=length)
    env.reset()
    for _ in range(length):
        _, _, term, trunc, _ = env.step(np.zeros(64, np.int32))
    index = int(np.flatnonzero(fell)[0])
    return [bool(term[index]), bool(trunc[index])]


def _class_of_spec(envpool: Any) -> str:
    return type(envpool.make_gymnasium("CartPole-v1", num_envs=2).spec).__name__


def _info_of_players(envpool: Any) -> bool:
    return "players" in envpool.make_gymnasium("CartPole-v1", num_envs=2).reset()[1]


def _autoreset_modes(envpool: Any) -> list[str]:
    modes = ("NextStep", "SameStep", "Disabled")
    return [
        outcome(lambda m=m: envpool.make_gymnasium("CartPole-v1", num_envs=2, autoreset_mode=m))
        for m in modes
    ]


def _receives_for_a_time(envpool: Any) -> str:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2, batch_size=1)
    env.async_reset()
    return outcome(lambda: env.recv(timeout=30.0))


def _zeros(envpool: Any) -> list[str]:
    settings = ({"num_threads": 0}, {"batch_size": 0})
    return [
        outcome(lambda s=s: envpool.make_gymnasium("CartPole-v1", num_envs=2, **s))
        for s in settings
    ]


def _settings_without_effect(envpool: Any) -> list[str]:
    settings = (
        {"thread_affinity_offset": 0}, {"max_num_players": 1}, {"gym_reset_return_info": True},
    )  # fmt: skip
    return [
        outcome(lambda s=s: envpool.make_gymnasium("CartPole-v1", num_envs=2, **s))
        for s in settings
    ]


def _steps_beside_a_failure(envpool: Any) -> list[str]:
    """Steps two environments, one of which throws, and then the other one alone."""
    importlib.import_module("envpool_py._testing")  # registers a task that throws
    env = envpool.make_gymnasium("Testing/Failing-v0", num_envs=2)
    env.reset()
    throws, fine = 1, 0
    return [
        outcome(lambda: env.step(np.array([throws, fine]))),
        outcome(lambda: env.step(np.array([fine]), np.array([1]))),
    ]


def _xla_of_main(envpool: Any) -> str:
    return outcome(lambda: envpool.make_gymnasium("CartPole-v1", num_envs=2).xla())


MAIN = (
    Difference(
        "`action_space`, `observation_space`",
        "of one environment",
        "of the batch; `single_action_space` is that of one environment",
        "`gymnasium.vector.VectorEnv` defines it so, and its wrappers rely on it: replace "
        "`env.action_space.n` by `env.single_action_space.n`",
        _space_of_actions,
        sees="MultiDiscrete",
        envpool_sees="Discrete",
    ),
    Difference(
        "rewards",
        "float32",
        "float64",
        "as in Gymnasium; sums over many steps stay exact",
        _dtype_of_rewards,
        sees="float64",
        envpool_sees="float32",
    ),
    Difference(
        "`seed`",
        "42 by default",
        "random by default",
        "two runs without a seed should differ",
        _two_pools_without_a_seed_are_equal,
        sees=False,
        envpool_sees=True,
    ),
    Difference(
        "`reset(seed=...)`",
        "ignored, with a warning",
        "one seed for all environments, or one for each",
        "equal seeds give Gymnasium's results",
        _resets_with_a_seed_are_equal,
        sees=True,
        envpool_sees=False,
    ),
    Difference(
        "an episode that ends on its last allowed step",
        "truncated only",
        "terminated and truncated",
        "Gymnasium reports both",
        _flags_of_a_fall_on_the_last_step,
        sees=[True, True],
        envpool_sees=[False, True],
    ),
    Difference(
        "`spec`",
        "EnvPool's",
        "Gymnasium's `EnvSpec`, from which `gymnasium.make_vec` makes an equal pool",
        "wrappers and training libraries read it; `env.config` has the settings",
        _class_of_spec,
        sees="EnvSpec",
        envpool_sees="CartPoleEnvSpec",
    ),
    Difference(
        '`info["players"]["env_id"]`, `observation.players`',
        "supported",
        'only with several players; otherwise use `info["env_id"]`',
        "with one player it repeats `env_id`",
        _info_of_players,
        sees=False,
        envpool_sees=True,
    ),
    Difference(
        "when an environment is reset",
        "in the next step",
        "in the next step, in the same step, or never (`autoreset_mode`)",
        "all three of Gymnasium's modes",
        _autoreset_modes,
        sees=[NO_ERROR] * 3,
        envpool_sees=["TypeError"] * 3,
    ),
    Difference(
        "a wrong action, id, shape or dtype",
        "undefined: the step returns, hangs, or ends the process",
        "an error that names the argument, the expected and the actual value",
        "no input may crash the process",
        _wrong_action,
        sees="InputError",
        unseen="undefined: a step returned in some runs and never came back in others",
    ),
    Difference(
        "an environment that throws",
        "ends the process",
        "only that environment fails; the others continue",
        "a long run does not end because of one environment",
        _steps_beside_a_failure,
        here_needs="envpool_py._testing",
        sees=["EnvironmentFailedError", NO_ERROR],
        unseen="none of EnvPool's tasks throws on purpose",
    ),
    Difference(
        "`recv` with nothing in flight",
        "waits until another thread sends",
        "an error",
        "an error shows the mistake; waiting forever hides it",
        _receives_nothing,
        sees="NothingInFlightError",
        envpool_sees="waited, then no error",
        alone=True,
    ),
    Difference(
        "`recv`",
        "cannot be interrupted",
        "Ctrl-C works, and there is `recv(timeout=...)`",
        "a waiting program can be stopped",
        _receives_for_a_time,
        sees=NO_ERROR,
        envpool_sees="TypeError",
    ),
    Difference(
        "`num_threads=0`, `batch_size=0`",
        "mean the defaults",
        "an error; omit them",
        "the defaults follow from the processors and from `num_envs`",
        _zeros,
        sees=["InputError", "InputError"],
        envpool_sees=[NO_ERROR, NO_ERROR],
    ),
    Difference(
        "`thread_affinity_offset`, `max_num_players`, `gym_reset_return_info`",
        "supported",
        "not supported; `thread_affinity` binds threads",
        "a list of processors says more, and the others would have no effect here",
        _settings_without_effect,
        sees=["UnknownOptionError"] * 3,
        envpool_sees=[NO_ERROR] * 3,
    ),
    Difference(
        "`xla()`",
        "functions for JAX",
        "not supported; use `envpool_py.jax.make`, whose result has `reset`, `step` and `xla`",
        "a pool does not need JAX; [JAX](jax.md) describes its functions",
        _xla_of_main,
        sees="AttributeError",
        envpool_sees=NO_ERROR,
        needs="jax",
    ),
)
