"""`envpool.registration`: making pools by id."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, overload

from envpool_py.compat.classes import spec_class_of
from envpool_py.compat.dm_pool import DMEnvPool, dm_class
from envpool_py.compat.errors import ConfigError, NotSupportedError
from envpool_py.compat.gymnasium_pool import GymnasiumEnvPool, gymnasium_class
from envpool_py.compat.options import settings_of
from envpool_py.compat.pictures import picture_settings
from envpool_py.compat.spec import EnvSpec
from envpool_py.compat.tasks import task_ids, task_of
from envpool_py.errors import suggestion

__all__ = [
    "EnvRegistry",
    "base_path",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
    "package_base_path",
    "register",
    "registry",
]

# EnvPool's data directory. Nothing is read from it; programs only pass the path on.
package_base_path = str(Path(__file__).resolve().parent)
base_path = package_base_path

_ENV_TYPES = ("gym", "gymnasium", "dm")
# Settings of `render`, and of observations that are pixels.
_SIZES = ("render_width", "render_height", "render_camera_id")


@overload
def make(task_id: str, env_type: Literal["dm"], **kwargs: Any) -> DMEnvPool: ...


@overload
def make(
    task_id: str, env_type: Literal["gym", "gymnasium"], **kwargs: Any
) -> GymnasiumEnvPool: ...


@overload
def make(task_id: str, env_type: str, **kwargs: Any) -> DMEnvPool | GymnasiumEnvPool: ...


def make(task_id: str, env_type: str, **kwargs: Any) -> DMEnvPool | GymnasiumEnvPool:
    """Makes a pool.

    Args:
        task_id: an id that `list_all_envs` names.
        env_type: "gymnasium" or "gym" (the same), or "dm".
        **kwargs: settings, with defaults in parentheses.
            Every task has `num_envs` (1), `batch_size` (0: `num_envs`), `num_threads` (0: chosen by
            the engine), `seed` (42; an int32, so that environment i gets `seed + i`, or a list with
            one for each) and `max_episode_steps`.
            `thread_affinity_offset` (-1) of at least 0 binds worker thread i to element
            `(offset + i) % n` of the n processors that the process may use.
            `base_path` and `reward_threshold` are kept in `config` and have no effect.
            `max_num_players` has no effect either, but for a task with several players it must be
            their number.
            Rendering has `render_mode`, `render_env_id`, `render_width`, `render_height` and
            `render_camera_id`. MuJoCo tasks have `from_pixels`: observations are then pictures, and
            `render_width`, `render_height` and `render_camera_id` set their size and camera.
            All other settings are the task's: EnvPool's, and our options.

    Raises:
        UnknownIdError, ConfigError, ConfigTypeError, ConfigNameError: each also derives from
            AssertionError or TypeError, whichever EnvPool raises.
    """
    if env_type not in _ENV_TYPES:
        hint = suggestion(env_type, _ENV_TYPES) if isinstance(env_type, str) else ""
        raise ConfigError(
            f"env_type: expected one of {', '.join(map(repr, _ENV_TYPES))}, got {env_type!r}{hint}"
        )
    spec = make_spec(task_id, **kwargs)
    if env_type == "dm":
        return dm_class(spec.task.class_name)(spec)
    return gymnasium_class(spec.task.class_name)(spec)


def make_dm(task_id: str, **kwargs: Any) -> DMEnvPool:
    """Makes a pool that is a `dm_env.Environment`; settings as in `make`."""
    return make(task_id, "dm", **kwargs)


def make_gymnasium(task_id: str, **kwargs: Any) -> GymnasiumEnvPool:
    """Makes a pool that is a `gymnasium.Env`; settings as in `make`."""
    return make(task_id, "gymnasium", **kwargs)


make_gym = make_gymnasium


def make_spec(task_id: str, **kwargs: Any) -> EnvSpec:
    """Describes a task; settings as in `make`."""
    given = dict(kwargs)
    task = task_of(task_id, pixels=bool(given.pop("from_pixels", False)))
    sizes = {name: given[name] for name in _SIZES if task.pixels and name in given}
    pictures = picture_settings(given)
    given.update(sizes)
    given.setdefault("base_path", base_path)
    spec: EnvSpec = spec_class_of(task)(settings_of(task, given), task, pictures)
    return spec


def list_all_envs() -> list[str]:
    """Returns the ids of all tasks."""
    return task_ids()


class EnvRegistry:
    """EnvPool's registry: the functions of this module as methods, and the registered tasks.

    Attributes:
        specs: module, name of the spec's class, and settings of each task, by id.
    """

    make = staticmethod(make)
    make_dm = staticmethod(make_dm)
    make_gymnasium = staticmethod(make_gymnasium)
    make_spec = staticmethod(make_spec)
    list_all_envs = staticmethod(list_all_envs)

    @property
    def specs(self) -> dict[str, tuple[str, str, dict[str, Any]]]:  # noqa: D102  # see the class
        entries = {}
        for name in task_ids():
            task = task_of(name)
            module = "registration" if task.envpool_class is None else task.envpool_class.module
            entries[name] = (f"envpool.{module}", f"{task.class_name}EnvSpec", dict(task.settings))
        return entries

    def register(self, task_id: str, *args: Any, **kwargs: Any) -> None:
        """Raises NotSupportedError: extension modules built for EnvPool cannot be loaded."""
        del args, kwargs
        raise NotSupportedError(
            f'register("{task_id}"): extension modules that were built for EnvPool cannot be '
            "loaded; docs/your-own-environment.md says how an environment in C++ is added here"
        )


registry = EnvRegistry()
register = registry.register
