"""The manifest of a family of tasks: its description for the rest of the package.

A family is a package with a module `manifest` that defines `FAMILY`, a `Family`. The manifest is
the only place that describes the family. `envpool_py.tasks.registry` finds the manifests and looks
up tasks in them.

`import envpool_py` imports all manifests. To keep this fast, a manifest imports only this module
and the table of its tasks. It refers to everything else as "module:object", which is imported when
it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

from envpool_py.errors import EXTRAS, MissingPackageError, PluginError, install_command
from envpool_py.tasks.importing import import_module

__all__ = ["WHOLE_STATES", "Family", "Keys", "Latest", "Limits", "base_name", "resolve"]

Latest = Callable[[], tuple[Any, Mapping[str, Any]]]
"""Returns the latest observation and infos of one environment."""

WHOLE_STATES = (
    "`save_states` and `load_states` of a pool (envpool_py.make) keep and set whole states"
)
"""What substitutes the methods of a reference that set its state: see `Family.substitutes`."""


class Limits(NamedTuple):
    """The limits of a task, as the engine has them.

    Attributes:
        max_episode_steps: steps after which an episode is truncated by default; None: never.
        reward_threshold: episode return at which the task counts as solved, or None.
    """

    max_episode_steps: int | None = None
    reward_threshold: float | None = None


@dataclass(frozen=True)
class Keys:
    """The keys of `envpool-py play` in a task whose actions can be listed.

    Attributes:
        actions: for each key, by its name in pygame: the action, which may be any value of the
            action space, and a short description of it.
        idle: actions taken in turn while no key is held; empty: the task waits for a key.
    """

    actions: Mapping[str, tuple[Any, str]]
    idle: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Family:
    """The manifest of a family.

    Painters and keys are given by the base names of tasks, their ids without the version
    ("CartPole" for "CartPole-v1"), so that a new version needs no entry.

    Attributes:
        name: what users call the family.
        tasks: the limits of its tasks by id. `python -m tools.families` generates this table from
            the tasks that the family registers with the engine.
        page: the file of `docs/` that describes the tasks, or None.
        module: Python module whose import registers the tasks with the engine. Its function
            `prepare(task_id)` provides what a pool of this task needs beyond the description (such
            as a ROM). If that is missing, it raises an EnvPoolError that says what to install.
            None: the tasks are part of `envpool_py._core`.
        extra: extra of this package that installs the requirements (`envpool_py.errors.EXTRAS`);
            None: there is none.
        needs: the modules that the tasks need.
        install: what error messages say about installing them, if the command for the extra is not
            right for every Python.
        painters: classes that draw the tasks which have scenes (`envpool_py.tasks.scenes.Painter`),
            as "module:class", by base name.
        keys: keys of `envpool-py play`, by base name; other tasks get default keys for their action
            space.
        controls: "module:function" that is called with a `TaskSpec` and the options given, and
            returns the controls of `envpool-py play` for it, in place of `keys`. If this attribute
            is None, `keys` are used.
        methods: methods of environments in Gymnasium that programs call through a pool
            (`GymnasiumPool.call`), as "module:function" by name. The function is called with a task
            id, `PoolBase.config` with the current attributes, and the arguments of the method. It
            returns what an environment would.
        without_methods: beginnings of the ids of tasks whose environments have none of `methods`.
        attributes: attributes that wrappers of other libraries read from one environment
            (`gymnasium.make`), as "module:function" by name. The function is called with a task id,
            `PoolBase.config` and a `Latest`. Options are attributes without an entry.
        substitutes: attributes that programs read or set and these environments do not have, each
            with the clause for the error message that says what to use instead.
        earlier_ids: "module:function" that is called with an unknown id. If other libraries have
            used this id, it returns a sentence that names the current task, otherwise None. This
            attribute is None if the family has no earlier ids.
        bench_case: "module:function" that is called with a task id and the keywords `num_envs`,
            `batch_size` and `num_threads`. It returns the `Case` of `envpool-py bench`, or None for
            the default case. If this attribute is None, all tasks have the default case.
        warnings: "module:function" that is called with a task id and the options given, and returns
            the texts of warnings about them, such as values out of a recommended range; None: there
            are none. Each pool warns once.
        seed_only_options: options with which an episode depends only on its seed and actions, by
            base name. For tasks whose episodes otherwise depend on previous episodes, as in the
            reference. The conformance tests of seeds use them.
        representatives: ids that represent the whole family in the conformance tests of
            `make test`, for a family with many similar tasks. `make long` runs these tests for
            every id. Empty: all ids run in `make test`.
        absent: ids that Gymnasium or EnvPool has and this family lacks, each with the text for the
            error message: why the task is missing, and what to use instead.
        aliases: ids of tasks in other libraries, each with the id here. `make` and `make_spec`
            accept them; lists of ids omit them.
        benchmarks: names of pools of several tasks in Gymnasium's registry, without the namespace,
            each with the function that makes the pool, as "module:function", and its keywords.
        single_benchmarks: those of them that `gymnasium.make` makes as one environment, each with
            the function, as "module:function".
        noun: name for the family's environments in texts where there are too many to list them.
        compat_exclusion: a clause that says why `envpool_py.compat`, which has EnvPool's API, lacks
            the family's tasks; None: it has them.
    """

    name: str
    tasks: Mapping[str, Limits]
    page: str | None = None
    module: str | None = None
    extra: str | None = None
    needs: tuple[str, ...] = ()
    install: str | None = None
    painters: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, Keys] = field(default_factory=dict)
    controls: str | None = None
    methods: Mapping[str, str] = field(default_factory=dict)
    without_methods: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    substitutes: Mapping[str, str] = field(default_factory=dict)
    earlier_ids: str | None = None
    bench_case: str | None = None
    warnings: str | None = None
    seed_only_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    representatives: frozenset[str] = frozenset()
    absent: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    benchmarks: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    single_benchmarks: Mapping[str, str] = field(default_factory=dict)
    noun: str = "environments"
    compat_exclusion: str | None = None

    def methods_of(self, task_id: str) -> Mapping[str, str]:
        """Returns those of `methods` that a task's environments have."""
        return {} if task_id.startswith(self.without_methods) else self.methods

    def load(self) -> ModuleType | None:
        """Imports the module, which registers the tasks the first time; returns it.

        Raises:
            MissingPackageError: a requirement of the module is not installed.
            PluginError: its extension module was built for another version.
        """
        if self.module is None:
            return None
        try:
            return import_module(self.module)
        except PluginError:
            raise  # a PluginError is an ImportError, but no package is missing
        except ImportError as error:
            raise MissingPackageError(
                f"the {self.name} tasks cannot be loaded ({error}){self._remedy()}"
            ) from error

    def _remedy(self) -> str:
        if self.install is not None:
            return f"; {self.install}"
        if self.extra is not None and self.extra in EXTRAS:
            return f"; what they need: `{install_command(self.extra)}`"
        return f"; they need {', '.join(self.needs)}" if self.needs else ""

    def prepare(self, task_id: str) -> None:
        """Provides what pools of a task need beyond the description, such as a ROM.

        Raises:
            EnvPoolError: something is missing; the message says what to install.
        """
        module = self.load()
        if module is None:
            return
        try:
            module.prepare(task_id)
        except MissingPackageError as error:
            raise MissingPackageError(
                f"the {self.name} tasks cannot be made ({error}){self._remedy()}"
            ) from error


def base_name(task_id: str) -> str:
    """Returns the id without its version: "CartPole" for "CartPole-v1"."""
    return task_id.rpartition("-v")[0] or task_id


def resolve(reference: str) -> Any:
    """Returns the object that "module:object" names; imports the module."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)
