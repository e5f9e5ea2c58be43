"""The option `model` of the MuJoCo tasks against Gymnasium's environments whose model is edited."""

from __future__ import annotations

import gc
import itertools
import json
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import OptionError, OptionTypeError
from envpool_py.tasks.families.mujoco.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
_mujoco = pytest.importorskip("envpool_py._mujoco")

from .model_edits import MODEL, array_of, edit, scaled  # noqa: E402

pytestmark = [
    pytest.mark.numbers,
    pytest.mark.usefixtures("mujoco_log_elsewhere"),
    pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning"),  # the -v4 tasks
]

PHYSICS = [
    "body_mass",
    "body_inertia",
    "geom_friction",
    "dof_damping",
    "dof_armature",
    "actuator_gear",
    "jnt_range",
    "opt.gravity",
    "opt.timestep",
    "opt.viscosity",
]
ALL = [pytest.param(task_id, 1000, id=task_id, marks=pytest.mark.long) for task_id in sorted(TASKS)]
SHORT = [
    pytest.param(task_id, 100, id=f"{task_id}-short")
    for task_id in (
        "Ant-v5",
        "Ant-v4",
        "HalfCheetah-v5",
        "Humanoid-v5",
        "Humanoid-v4",
        "Walker2d-v5",
    )
]


@pytest.fixture
def model_file(tmp_path: Path) -> str:
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    return str(path)


def base_of(task_id: str, **options: Any) -> Any:
    """Returns Gymnasium's model of a task."""
    env = gymnasium.make(task_id, **options)
    try:
        return env.unwrapped.model  # type: ignore[attr-defined]
    finally:
        env.close()


def edited(changes: Mapping[str, Any], constants: bool) -> Callable[[Any], Any]:
    """Returns a wrapper that edits the model of a Gymnasium environment."""

    def wrapper(env: Any) -> Any:
        edit(env.unwrapped.model, changes)
        if constants:
            mujoco.mj_setConst(env.unwrapped.model, env.unwrapped.data)
        return env

    return wrapper


def lockstep(
    parity: SimpleNamespace,
    task_id: str,
    changes: Mapping[str, Any],
    constants: bool,
    num_envs: int = 2,
    **options: Any,
) -> Any:
    """Returns a pair of pools: ours with the option, Gymnasium's with edited models."""
    wrappers = [edited(changes, constants)]
    pair = parity.Lockstep(task_id, num_envs=num_envs, wrappers=wrappers, **options)
    pair.ours.close()
    pair.ours = envpool_py.make(
        task_id, num_envs=num_envs, model=changes, model_constants=constants, **options
    )
    return pair


@pytest.mark.parametrize("constants", [False, True], ids=["as edited", "constants"])
@pytest.mark.parametrize(("task_id", "steps"), [*SHORT, *ALL])
def test_edited_models(task_id: str, steps: int, constants: bool, parity: SimpleNamespace) -> None:
    rng = np.random.default_rng(7)
    changes = scaled(base_of(task_id), PHYSICS, rng)
    with lockstep(parity, task_id, changes, constants) as pair:
        pair.check_spaces()
        pair.run(parity.box_policy(task_id), 1, steps)


@pytest.mark.parametrize(
    "changes",
    [
        {"body_mass": {"torso": 2.0}},
        {"geom_friction": {"floor": [0.3, 0.2, 0.1], "torso_geom": (2, 0.5, 0.1)}},
        {"dof_damping": {"hip_1": 3.0, "root": np.full(6, 0.2)}},
        {"actuator_gear": {2: [40.0, 0, 0, 0, 0, 0]}},
        {"actuator_ctrlrange": {3: [-0.2, 0.3]}},
        {"opt.gravity": (1.0, 0.0, -3.0), "opt.wind": [3, 0, 0], "opt.density": 5},
        {"opt.timestep": 0.004},
        {"opt.integrator": 0, "opt.solver": 1, "opt.iterations": 4, "opt.cone": 1},
        {"opt.disableflags": int(mujoco.mjtDisableBit.mjDSBL_CONTACT)},
        {"qpos0": np.linspace(0.6, 0.8, 15)},
        {"geom_size": {"torso_geom": [0.4, 0, 0]}, "geom_rbound": {"torso_geom": 0.4}},
        {"geom_contype": {"torso_geom": 0}, "geom_conaffinity": {"torso_geom": 0}},
        {"geom_condim": {"floor": 1}, "geom_priority": {"floor": 2}},
        {"jnt_limited": {"hip_1": False}, "jnt_stiffness": {"ankle_1": 30}},
        {"body_pos": {"front_left_leg": [0.1, 0.1, 0.1]}},
    ],
    ids=lambda changes: "+".join(changes),
)
@pytest.mark.parametrize("constants", [False, True], ids=["as edited", "constants"])
def test_single_changes(
    changes: Mapping[str, Any], constants: bool, parity: SimpleNamespace
) -> None:
    with lockstep(parity, "Ant-v5", changes, constants) as pair:
        pair.check_spaces()
        pair.run(parity.box_policy("Ant-v5"), 1, 40)


# Fields of MODEL that change no step. Pictures show those that are not marked with *.
WITHOUT_EFFECT = {
    "actuator_cranklength",  # * only of slider-cranks
    "actuator_group",  # * only with opt.disableactuator
    "body_margin",  # * only which pairs of bodies are looked at
    "cam_fovy",
    "cam_ipd",
    "cam_pos",
    "cam_quat",
    "geom_aabb",  # * only which pairs of geoms are looked at
    "geom_group",
    "geom_rbound",  # * as geom_aabb, unless it is too small
    "geom_rgba",
    "jnt_group",
    "light_active",
    "light_ambient",
    "light_attenuation",
    "light_castshadow",
    "light_cutoff",
    "light_diffuse",
    "light_dir",
    "light_exponent",
    "light_pos",
    "light_specular",
    "mat_emission",
    "mat_reflectance",
    "mat_rgba",
    "mat_shininess",
    "mat_specular",
    "mat_texrepeat",
    "sensor_cutoff",  # * the tasks of Gymnasium read no sensors
    "sensor_noise",  # * as sensor_cutoff
    "site_group",
    "site_rgba",
    "site_size",
    "tendon_group",
    "tendon_rgba",
    "tendon_width",
}


# Fields that act only if mj_setConst sees them.
ONLY_WITH_CONSTANTS = {
    "actuator_armature",
    "actuator_damping",
    "actuator_dampingpoly",
    "geom_adhesion",
    "pair_adhesion",
}
# Fields that change no step of MODEL in this test, but may change those of other models.
NOT_HERE = {
    "actuator_actlimited",
    "actuator_ctrllimited",
    "body_gravcomp",  # from some version on, effective only with constants
    "geom_fluid",
    "geom_gap",
    "geom_quat",  # as body_gravcomp
    "geom_solmix",
    "jnt_actgravcomp",
    "opt.apirate",
    "opt.ccd_iterations",
    "opt.ccd_tolerance",
    "opt.enableflags",
    "opt.ls_tolerance",
    "opt.magnetic",
    "opt.noslip_tolerance",
    "opt.sdf_initpoints",
    "opt.sdf_iterations",
    "opt.sleep_tolerance",
    "pair_gap",
    "pair_solreffriction",
    "site_quat",
    "tendon_actfrclimited",
    "tendon_actfrcrange",
}
# What makes a field effective that has no effect alone.
CONTEXT: dict[str, dict[str, Any]] = {
    "geom_priority": {"geom_friction": {"chest": [0.1, 0.1, 0.1], "front_leg": [0.1, 0.1, 0.1]}},
    "jnt_actfrcrange": {"jnt_actfrclimited": [1] * 6},
    "jnt_margin": {"jnt_range": [[-0.05, 0.05]] * 6},
    "jnt_solimp": {"jnt_range": [[-0.05, 0.05]] * 6},
    "jnt_solref": {"jnt_range": [[-0.05, 0.05]] * 6},
    "opt.o_friction": {"opt.enableflags": 1},
    "opt.o_margin": {"opt.enableflags": 1},
    "opt.o_solimp": {"opt.enableflags": 1},
    "opt.o_solref": {"opt.enableflags": 1},
    "opt.wind": {"opt.density": 50.0},
    "tendon_actfrcrange": {"tendon_actfrclimited": [1, 1]},
    "tendon_margin": {"tendon_range": [[0, 0.3]] * 2},
    "tendon_solimp_lim": {"tendon_range": [[0, 0.3]] * 2},
    "tendon_solref_lim": {"tendon_range": [[0, 0.3]] * 2},
}


def fields_of(model: Any) -> Iterator[str]:
    """Yields the changeable fields of a model that have numbers in it."""
    table = (
        Path(__file__).resolve().parents[2] / "engine/envs/mujoco/model_field_table.cc"
    ).read_text()
    for name in dict.fromkeys(re.findall(r'{"([\w.]+)", Element::', table)):
        try:
            value = array_of(model, name)
        except AttributeError:  # a field of other versions
            continue
        if np.size(value) > 0:
            yield name


def other_numbers(model: Any, field: str) -> Any:
    """Returns other numbers that a field may have."""
    value = np.array(array_of(model, field))
    fixed = {
        "geom_condim": 3,
        "pair_dim": 4,
        "opt.integrator": 2,
        "opt.cone": 1,
        "opt.jacobian": 1,
        "opt.solver": 1,
        "opt.disableactuator": 1,
        "opt.disableflags": 1 << 10,
        "opt.enableflags": 2,
        "opt.timestep": 0.006,
        "opt.iterations": 1,
        "opt.ls_iterations": 1,
        "opt.tolerance": 1.0,
        "opt.ls_tolerance": 0.9,
        "opt.wind": 5.0,
        "jnt_margin": 0.2,
        "tendon_margin": 0.2,
        "geom_priority": np.arange(len(value)) if value.ndim > 0 else 0,
    }
    narrow = ("jnt_range", "tendon_range", "actuator_ctrlrange", "actuator_forcerange")
    if field in fixed:
        changed = np.full(value.shape, fixed[field])
    elif field in narrow:
        changed = value * 0.1
    elif field.endswith("actfrcrange"):
        changed = np.tile([-0.1, 0.1], (len(value), 1))
    elif field == "actuator_actrange":
        changed = np.tile([-0.05, 0.05], (len(value), 1))
    elif value.dtype == np.bool_ or (value.dtype == np.uint8):
        changed = np.logical_not(value).astype(np.int64)
    elif value.dtype.kind == "i":
        changed = value + 1
    elif field in ("body_quat", "body_iquat", "geom_quat", "site_quat", "cam_quat"):
        turn = np.array([0.99, 0.05, 0.1, 0.02])
        changed = np.tile(turn / np.linalg.norm(turn), (len(value), 1))
    elif field in ("geom_solref", "jnt_solref", "pair_solref", "eq_solref"):
        changed = value * 1.5
    else:
        changed = value * 1.25 + 0.01
    return changed if value.ndim > 0 else changed.item()


@pytest.mark.parametrize("constants", [False, True], ids=["as edited", "constants"])
def test_every_field(constants: bool, model_file: str) -> None:
    """Each field can be set, and has the effect that it has in Gymnasium."""

    def run(env: Any, changes: Mapping[str, Any]) -> list[bytes]:
        edit(env.unwrapped.model, changes)
        if constants and changes:
            mujoco.mj_setConst(env.unwrapped.model, env.unwrapped.data)
        results = [env.reset(seed=3)[0]]
        for action in actions:
            observation, reward, *_ = env.step(action)
            results += [observation, reward]
        return [np.asarray(result).tobytes() for result in results]

    def run_pool(changes: Mapping[str, Any]) -> list[bytes]:
        with envpool_py.make(
            "HalfCheetah-v5",
            num_envs=1,
            xml_file=model_file,
            model=changes,
            model_constants=constants,
        ) as pool:
            results = [pool.reset(seed=3)[0][0]]
            for action in actions:
                observation, reward, *_ = pool.step(action[None])
                results += [observation[0], reward[0]]
        return [np.asarray(result).tobytes() for result in results]

    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (25, 2)).astype(np.float32)

    def fresh() -> Any:
        return gymnasium.make("HalfCheetah-v5", xml_file=model_file)

    plain = run(fresh(), {})
    assert run_pool({}) == plain
    base = base_of("HalfCheetah-v5", xml_file=model_file)
    without_effect = set()
    names = list(fields_of(base))
    assert len(names) > 120
    for field in names:
        context = CONTEXT.get(field, {})
        changes = {**context, field: other_numbers(base, field)}
        try:
            theirs = run(fresh(), changes)
        except mujoco.FatalError as error:  # by mj_setConst
            named = re.escape(str(error).partition(": ")[2])
            with pytest.raises(OptionError, match=rf"can compute constants .*{named}"):
                run_pool(changes)
            continue
        assert run_pool(changes) == theirs, field
        if theirs == (run(fresh(), context) if context else plain):
            without_effect.add(field)
    expected = WITHOUT_EFFECT | NOT_HERE | (set() if constants else ONLY_WITH_CONSTANTS)
    assert without_effect <= expected, sorted(without_effect - expected)


def masses(num: int) -> list[dict[str, Any]]:
    return [
        {"body_mass": {"torso": 0.1 + 0.05 * k}, "opt.gravity": [0, 0, -9 - 0.1 * k]}
        for k in range(num)
    ]


def trajectory(pool: Any, seeds: list[int], actions: Any) -> list[bytes]:
    results = [pool.reset(seed=seeds)[0]]
    for action in actions:
        observation, reward, terminated, truncated, _ = pool.step(action)
        results += [observation, reward, terminated, truncated]
    rows = len(seeds)
    return [b"".join(np.asarray(each)[row].tobytes() for each in results) for row in range(rows)]


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Ant-v5", {}),
        ("Ant-v5", {"frame_stack": 2}),
        ("Ant-v5", {"model_constants": False}),
        ("CheetahRun-v1", {"flat_observation": True}),
        ("CheetahRun-v1", {"flat_observation": True, "frame_stack": 3}),
    ],
    ids=str,
)
def test_sixteen_masses_are_sixteen_pools(task_id: str, options: dict[str, Any]) -> None:
    num, steps = 16, 30
    if task_id.endswith("-v1"):
        pytest.importorskip("dm_control")
        if mujoco.mj_version() < 3_017_000:
            pytest.skip("the tasks of dm_control need a later MuJoCo")
    width = envpool_py.make_spec(task_id).action_space.shape
    actions = np.random.default_rng(1).uniform(-1, 1, (steps, num, *width)).astype(np.float32)
    if task_id.endswith("-v1"):
        actions = actions.astype(np.float64)

    def rows_of(pool: Any, seeds: list[int], chosen: Any) -> list[bytes]:
        if task_id.endswith("-v1"):
            return trajectory(Flat(pool), seeds, chosen)
        return trajectory(pool, seeds, chosen)

    each = [{"model": model} for model in masses(num)]
    with envpool_py.make(task_id, num_envs=num, num_threads=2, env_options=each, **options) as pool:
        together = rows_of(pool, list(range(num)), actions)
        assert [shown["model"] for shown in pool.get_env_options()] == masses(num)
    assert len(set(together)) == num
    for env in range(num):
        with envpool_py.make(task_id, num_envs=1, model=masses(num)[env], **options) as pool:
            assert rows_of(pool, [env], actions[:, env : env + 1]) == [together[env]], env


class Flat:
    """A pool whose observation is the array of its only key."""

    def __init__(self, pool: Any) -> None:
        self.pool = pool

    def reset(self, **arguments: Any) -> Any:
        observation, infos = self.pool.reset(**arguments)
        return observation["observations"], infos

    def step(self, action: Any) -> Any:
        observation, *rest = self.pool.step(action)
        return observation["observations"], *rest


def test_masses_change_each_episode() -> None:
    """An environment has the masses that were set before its reset, until the next one."""
    num, limit = 4, 6
    actions = np.random.default_rng(2).uniform(-1, 1, (3 * (limit + 1), num, 8)).astype(np.float32)
    table = masses(3 * num)
    with envpool_py.make("Ant-v5", num_envs=num, max_episode_steps=limit) as pool:
        pool.set_env_options([{"model": table[env]} for env in range(num)])
        seen = [pool.reset(seed=5)[0]]
        for step, action in enumerate(actions):
            if step % (limit + 1) == limit // 2:
                episode = step // (limit + 1) + 1
                if episode < 3:
                    pool.set_env_options(
                        [{"model": table[episode * num + env]} for env in range(num)]
                    )
            seen.append(pool.step(action)[0])

    envs = [
        gymnasium.wrappers.TimeLimit(gymnasium.make("Ant-v5").unwrapped, limit) for _ in range(num)
    ]

    for env, wrapped in enumerate(envs):
        model = wrapped.unwrapped.model  # type: ignore[attr-defined]
        data = wrapped.unwrapped.data  # type: ignore[attr-defined]
        episode = 0
        edit(model, table[env])
        mujoco.mj_setConst(model, data)
        assert wrapped.reset(seed=5 + env)[0].tobytes() == seen[0][env].tobytes()
        due = False
        for step, action in enumerate(actions):
            if due:
                episode += 1
                edit(model, table[min(episode, 2) * num + env])
                mujoco.mj_setConst(model, data)
                observation, due = wrapped.reset()[0], False
            else:
                observation, _, terminated, truncated, _ = wrapped.step(action[env])
                due = terminated or truncated
            assert observation.tobytes() == seen[step + 1][env].tobytes(), (env, step)


def test_reset_takes_models() -> None:
    with envpool_py.make("Ant-v5", num_envs=3) as pool:
        plain = pool.reset(seed=1)[0]
        options = [{"model": model} for model in masses(3)]
        pool.reset(seed=1, options={"env_options": options})
        assert [each["model"] for each in pool.get_env_options()] == masses(3)
        changed = pool.step(np.zeros((3, 8), np.float32))[0]
        pool.reset(seed=1, options={"env_options": [{"model": {}}] * 3})
        assert (pool.step(np.zeros((3, 8), np.float32))[0] != changed).any()
        assert (pool.reset(seed=1)[0] == plain).all()


def test_settings_travel() -> None:
    """Options with arrays are plain data in specs, JSON and pickles."""
    base = base_of("Ant-v5")
    changes = {"geom_friction": base.geom_friction * 0.5, "body_mass": {"torso": np.float32(0.5)}}
    with envpool_py.make("Ant-v5", num_envs=2, model=changes) as pool:
        shown = pool.get_env_options()[0]["model"]
        assert shown == {
            "geom_friction": (base.geom_friction * 0.5).tolist(),
            "body_mass": {"torso": 0.5},
        }
        assert json.loads(json.dumps(shown)) == shown
        json.dumps(pool.spec.kwargs)
        spec = pickle.loads(pickle.dumps(pool.spec))
        first = pool.reset(seed=1)[0]
    with envpool_py.make("Ant-v5", num_envs=2, model=shown) as pool:
        assert (pool.reset(seed=1)[0] == first).all()
    assert spec.kwargs["model"]["geom_friction"] == shown["geom_friction"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (
            {"body_mas": 1.0},
            r'model\[body_mas\]: mjModel has no such field; did you mean "body_mass"',
        ),
        ({"gravity": [0, 0, 0]}, r'did you mean "opt.gravity"'),
        (
            {"body_mass": [1.0, 2.0]},
            r"\[body_mass\]: expected an array of shape \(14,\), got .*\(2,\)",
        ),
        ({"body_mass": 1.0}, r"\[body_mass\]: expected an array of shape \(14,\), got a number"),
        (
            {"geom_friction": np.ones((3, 14))},
            r"expected an array of shape \(14, 3\), got .*\(3, 14\)",
        ),
        ({"geom_friction": np.ones(42)}, r"expected an array of shape \(14, 3\), got .*\(42,\)"),
        ({"geom_friction": np.ones((14, 3, 1))}, r"got an array of shape \(14, 3, 1\)"),
        (
            {"geom_friction": {"floor": 1.0}},
            r"\[geom_friction\]\[floor\]: expected .*\(3,\), got a number",
        ),
        (
            {"geom_friction": [[1, 2, 3], [1, 2]]},
            r"expected an array, got an element of shape \(3,\)",
        ),
        ({"dof_damping": {"root": 1.0}}, r"expected an array of shape \(6,\), got a number"),
        ({"body_mass": {"torzo": 1.0}}, r'got "torzo"; did you mean "torso"'),
        ({"body_mass": {"14": 1.0}}, r'a body or its id in \[0, 13\], got "14"'),
        ({"body_mass": {"torso": -1.0}}, r'expected a number >= 0, got -1 for the body "torso"'),
        ({"body_mass": {"torso": float("nan")}}, r"body_mass\[torso\].*expected a number, got nan"),
        ({"body_mass": {"torso": float("inf")}}, r"expected a finite number, got inf"),
        ({"geom_size": {"floor": [-1, 1, 1]}}, r'got -1 for the geom "floor"'),
        ({"opt.timestep": 0.0}, r"\[opt.timestep\]: expected a number > 0, got 0"),
        ({"opt.timestep": 1e-310}, r"whose inverse is finite"),
        ({"opt.timestep": [0.1, 0.1]}, r"expected a number, got an array of shape \(2,\)"),
        ({"opt.gravity": {"z": 1.0}}, r"the field has no objects"),
        ({"opt.integrator": 9}, r"expected a number in \[0, 3\], got 9"),
        ({"opt.iterations": 1.5}, r"expected an integer of 32 bits, got 1.5"),
        ({"geom_condim": {"floor": 2}}, r"expected 1, 3, 4 or 6, got 2"),
        ({"jnt_limited": {"hip_1": 2}}, r"expected 0 or 1, got 2"),
        ({"geom_rgba": {"floor": [1e300, 0, 0, 1]}}, r"a number of float32"),
        ({"nbody": 3}, r"\[nbody\]: expected a field that may be changed: it is a size"),
        ({"body_weldid": [0] * 14}, r"\[body_weldid\]: .* part of the structure"),
        ({"jnt_type": [0] * 9}, r"\[jnt_type\]: .* part of the structure"),
        ({"geom_type": [0] * 14}, r"\[geom_type\]: .* part of the structure"),
        ({"body_parentid": [0] * 14}, r"\[body_parentid\]: .* part of the structure"),
        ({"mesh_vert": [0.0]}, r"\[mesh_vert\]: .* meshes"),
        ({"names": [0]}, r"\[names\]: .* names"),
        ({"dof_M0": [1.0] * 14}, r"\[dof_M0\]: .* computed"),
        ({"key_qpos": [1.0]}, r"\[key_qpos\]: .* no task reads it"),
        ({"stat.extent": 1.0}, r"\[stat.extent\]"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_wrong_changes(changes: Mapping[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        envpool_py.make("Ant-v5", model=changes)
    with envpool_py.make("Ant-v5", num_envs=3) as pool:
        before = pool.get_env_options()
        with pytest.raises(OptionError, match=rf"environment 1: .*{named}"):
            pool.set_env_options([{}, {"model": changes}, {}])
        assert pool.get_env_options() == before


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (3.0, "expected dict of float, got float"),
        ({"body_mass": "heavy"}, r"\[body_mass\]: expected a number or a list of them, got str"),
        (
            {"body_mass": {"torso": {"x": 1}}},
            r"\[body_mass\]\[torso\]: expected a number or a list",
        ),
        ({"body_mass": {2.5: 1.0}}, "expected names or integers as keys, got 2.5"),
        ({"geom_friction": [["a"]]}, "expected a list of numbers, got an element 'a'"),
    ],
)
def test_changes_of_another_type(changes: Any, named: str) -> None:
    with pytest.raises(OptionTypeError, match=named):
        envpool_py.make("Ant-v5", model=changes)


def test_ids_in_place_of_names() -> None:
    base = base_of("Ant-v5")
    leg = mujoco.mj_name2id(base, mujoco.mjtObj.mjOBJ_BODY, "front_left_leg")
    rows = []
    for model in ({"body_mass": {leg: 0.7}}, {"body_mass": {"front_left_leg": 0.7}}):
        with envpool_py.make("Ant-v5", model=model) as pool:
            pool.reset(seed=0)
            rows.append(pool.step(np.ones((1, 8), np.float32))[0].tobytes())
    assert rows[0] == rows[1]


def test_memory_of_changed_models_is_freed() -> None:
    gc.collect()
    base_before, before = _mujoco.model_memory()
    with envpool_py.make("Ant-v5", num_envs=2) as pool:
        pool.reset(seed=0)
        bases, own = _mujoco.model_memory()
        # The compiled model is shared.
        assert bases <= base_before + 1
        assert own == before
        sizes = set()
        for change in range(1000):
            mass = {"body_mass": {"torso": 1.0 + 0.001 * change}}
            pool.reset(options={"env_options": [{"model": mass}, {}]})
            sizes.add(_mujoco.model_memory())
        assert {bases} == {each[0] for each in sizes}
        # One variant is in use, and another one while it is replaced.
        assert max(each[1] for each in sizes) - own <= 2 * 16_000
        assert len(sizes) <= 3
        env_options = [{"model": {"opt.gravity": [0, 0, -1]}}, {}]
        pool.reset(options={"env_options": env_options})
        assert _mujoco.model_memory() == (bases, before)  # no array differs
    del pool
    gc.collect()
    assert _mujoco.model_memory() == (base_before, before)


def test_models_are_read_again(model_file: str) -> None:
    """A model whose file changes is that of the file when an environment is given options."""
    text = Path(model_file).read_text()
    with envpool_py.make("HalfCheetah-v5", num_envs=2, xml_file=model_file) as pool:
        first = pool.reset(seed=0)[0]
        pool.set_env_options([{"model": {"opt.density": 1.0}}, {}])
        Path(model_file).write_text(text.replace('pos="0 0 0.35"', 'pos="0 0 0.45"'))
        with envpool_py.make("HalfCheetah-v5", num_envs=2, xml_file=model_file) as other:
            assert (other.reset(seed=0)[0] == first).all()  # observations have no absolute height
            low = pool.step(np.zeros((2, 2), np.float32))[0]
            high = other.step(np.zeros((2, 2), np.float32))[0]
            assert (low != high).any()


@pytest.mark.usefixtures("egl")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pictures_show_changes() -> None:
    size = {"width": 96, "height": 96}
    base = base_of("Ant-v5")
    colours = base.geom_rgba.copy()
    colours[1:] = [0.1, 0.9, 0.2, 1.0]
    sizes = base.geom_size.copy()
    sizes[1] = [0.5, 0, 0]
    changes: dict[str, Any] = {
        "geom_rgba": colours,
        "geom_size": sizes,
        "body_mass": {"torso": 2.0},
    }
    env = gymnasium.make("Ant-v5", render_mode="rgb_array", **size)
    edited(changes, True)(env)
    env.reset(seed=0)
    theirs = [env.render()]
    env.step(np.ones(8, np.float32))
    theirs.append(env.render())
    env.close()
    each = [{}, {"model": changes}]
    options: dict[str, Any] = {"num_envs": 2, "env_options": each, **size}
    with envpool_py.make("Ant-v5", render_mode="rgb_array", **options) as pool:
        pool.reset(seed=[1, 0])
        pictures = [pool.render()]
        pool.step(np.ones((2, 8), np.float32))
        pictures.append(pool.render())
    for ours, expected in zip(pictures, theirs, strict=True):
        assert (np.asarray(ours[1]) == expected).all()
        assert (np.asarray(ours[0]) != expected).any()
    with envpool_py.make("Ant-v5", from_pixels=True, **options) as pool:
        first = pool.reset(seed=[1, 0])[0]
    assert (first[1] == theirs[0]).all()


def test_many_settings_compile_once() -> None:
    bases = set()
    each = [{"model": model} for model in itertools.islice(masses(64), 64)]
    with envpool_py.make("Ant-v5", num_envs=64, env_options=each):
        bases.add(_mujoco.model_memory()[0])
    with envpool_py.make("Ant-v5", num_envs=1):
        bases.add(_mujoco.model_memory()[0])
    assert len(bases) == 1
