"""The MuJoCo tasks against Gymnasium: equal seeds and actions, results equal to the last bit."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import errors
from envpool_py.mujoco import ids

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")

TASK_IDS = sorted(ids.LIMITS)
# Every task, and some that end, truncate or have infos at resets in all autoreset modes.
MODE_CASES = [
    (task_id, mode)
    for task_id in TASK_IDS
    for mode in ("NextStep", "SameStep", "Disabled")
    if mode == "NextStep" or task_id.startswith(("Ant", "InvertedPendulum", "Swimmer"))
]
INF = float("inf")
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"

# Options other than the defaults; each list together gives every option of the task another value.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "Ant-v4": [
        {"xml_file": "ant.xml", "use_contact_forces": True, "contact_force_range": (-2.0, 0.0)},
        {"use_contact_forces": True, "contact_cost_weight": 0.01, "healthy_z_range": (0.3, 0.9)},
        {"terminate_when_unhealthy": False, "healthy_reward": 0.4, "ctrl_cost_weight": 0.3},
        {"reset_noise_scale": 0.02, "exclude_current_positions_from_observation": False},
    ],
    "Ant-v5": [
        {"main_body": "front_left_leg", "contact_force_range": (-0.5, 0.3)},
        {"main_body": 5, "include_cfrc_ext_in_observation": False, "frame_skip": 3},
        {"contact_cost_weight": 0.01, "healthy_z_range": (0.3, 0.9), "forward_reward_weight": 0.7},
        {"terminate_when_unhealthy": False, "healthy_reward": 0.4, "ctrl_cost_weight": 0.3},
        {"reset_noise_scale": 0.02, "exclude_current_positions_from_observation": False},
        {"healthy_z_range": (-INF, INF)},
    ],
    "HalfCheetah-v4": [
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.0},
        {"exclude_current_positions_from_observation": False},
    ],
    "HalfCheetah-v5": [
        {"frame_skip": 2, "forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77},
        {"reset_noise_scale": 0.03, "exclude_current_positions_from_observation": False},
    ],
    "Hopper-v4": [
        {"terminate_when_unhealthy": False, "healthy_state_range": (-3.0, 3.0)},
        {"healthy_z_range": (0.5, 1.3), "healthy_angle_range": (-0.1, 0.4), "healthy_reward": 2.5},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Hopper-v5": [
        {"terminate_when_unhealthy": False, "healthy_state_range": (-3.0, 3.0), "frame_skip": 2},
        {"healthy_z_range": (0.5, 1.3), "healthy_angle_range": (-0.1, 0.4), "healthy_reward": 2.5},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Humanoid-v4": [
        {"forward_reward_weight": 0.2, "ctrl_cost_weight": 0.77, "healthy_reward": 1.5},
        {"terminate_when_unhealthy": False, "healthy_z_range": (1.1, 1.4)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
    ],
    "Humanoid-v5": [
        {"contact_cost_weight": 1e-3, "contact_cost_range": (0.01, 0.5), "frame_skip": 2},
        {"forward_reward_weight": 0.2, "ctrl_cost_weight": 0.77, "healthy_reward": 1.5},
        {"terminate_when_unhealthy": False, "healthy_z_range": (1.1, 1.4)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
        {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False},
        {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False},
        {"xml_file": "humanoidstandup.xml", "healthy_z_range": (0.0, 1.0)},
    ],
    "HumanoidStandup-v5": [
        {"uph_cost_weight": 3.0, "ctrl_cost_weight": 0.3, "frame_skip": 2},
        {"impact_cost_weight": 1e-4, "impact_cost_range": (0.1, 5.0)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
        {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False},
        {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False},
        {"xml_file": "humanoid.xml"},
    ],
    "InvertedDoublePendulum-v5": [
        {"reset_noise_scale": 0.3, "healthy_reward": 3.3, "frame_skip": 2},
    ],
    "InvertedPendulum-v5": [{"reset_noise_scale": 0.15, "frame_skip": 5}],
    "Pusher-v5": [
        {"reward_near_weight": 0.3, "reward_dist_weight": 0.7},
        {"reward_control_weight": 0.77, "frame_skip": 3},
    ],
    "Reacher-v5": [
        {"reward_dist_weight": 0.3, "reward_control_weight": 0.77, "frame_skip": 1},
    ],
    "Swimmer-v4": [
        {"forward_reward_weight": 2.2, "ctrl_cost_weight": 0.1, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Swimmer-v5": [
        {"forward_reward_weight": 2.2, "ctrl_cost_weight": 0.1, "frame_skip": 7},
        {"reset_noise_scale": 0.03, "exclude_current_positions_from_observation": False},
    ],
    "Walker2d-v4": [
        {"terminate_when_unhealthy": False, "healthy_reward": 2.5, "ctrl_cost_weight": 0.3},
        {"healthy_z_range": (1.0, 1.5), "healthy_angle_range": (-0.1, 0.4)},
        {"forward_reward_weight": 0.3, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Walker2d-v5": [
        {"xml_file": "walker2d.xml", "healthy_reward": -1.5, "terminate_when_unhealthy": False},
        {"healthy_z_range": (0.9, INF), "healthy_angle_range": (-0.1, 0.4), "frame_skip": 3},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.3, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
}
# Options of an xml_file of the user's own are in tests of their own.
OWN_TEST = {"xml_file"}

OPTION_CASES = [
    pytest.param(task_id, options, id=f"{task_id}-{number}")
    for task_id, cases in OPTIONS.items()
    for number, options in enumerate(cases)
]


@pytest.fixture(autouse=True)
def _log_goes_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gymnasium's MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


def policy_of(task_id: str) -> Any:
    """Returns a policy: uniform actions, a third out of range, or (a quarter) all at a bound."""
    space = envpool_py.make_spec(task_id).action_space
    assert isinstance(space, gymnasium.spaces.Box)
    high = space.high

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        shape = (len(observations), *high.shape)
        actions = rng.uniform(-1.5, 1.5, shape) * high
        bounds = rng.choice([-1.0, 1.0], shape) * high
        actions[::4] = bounds[::4]
        return actions.astype(np.float32)

    return policy


def test_the_reference_runs_on_the_version_that_we_are_built_for() -> None:
    from envpool_py import _mujoco

    assert mujoco.__version__ == _mujoco.BUILT_VERSION


def test_ids_are_those_that_gymnasium_can_make() -> None:
    registered = {
        task_id
        for task_id, spec in gymnasium.registry.items()
        if "envs.mujoco" in str(spec.entry_point)
    }
    out_of_date = pytest.warns(DeprecationWarning, match="Pusher-v4")
    with out_of_date, pytest.raises(ImportError, match="mujoco<3"):
        gymnasium.make("Pusher-v4")
    assert registered - {"Pusher-v4"} == set(TASK_IDS)
    assert len(TASK_IDS) == 21
    assert set(TASK_IDS) <= set(envpool_py.list_all_envs())


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_specs_and_spaces(task_id: str, parity: SimpleNamespace) -> None:
    ours, theirs = envpool_py.make_spec(task_id), gymnasium.spec(task_id)
    assert ours.max_episode_steps == theirs.max_episode_steps
    assert ours.reward_threshold == theirs.reward_threshold
    with parity.Lockstep(task_id) as pair:
        for name in ("single_observation_space", "single_action_space", "action_space"):
            mine, other = getattr(pair.ours, name), getattr(pair.theirs, name)
            assert mine == other, name
            assert mine.dtype == other.dtype
            for bound in ("low", "high"):
                assert getattr(mine, bound).tobytes() == getattr(other, bound).tobytes()
        bare = pair.theirs.envs[0].unwrapped
        assert ours.frame_skip == bare.frame_skip


# Arguments of Gymnasium's constructors that say what is rendered.
RENDERING = {"default_camera_config", "kwargs", "self"}
# What stands for them here, tested with the pictures.
OWN_RENDERING = {"width", "height", "camera_id", "camera_name", "max_geom"}


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_options_and_their_defaults(task_id: str) -> None:
    import importlib
    import inspect

    module, _, name = str(gymnasium.spec(task_id).entry_point).partition(":")
    constructor = getattr(importlib.import_module(module), name).__init__
    theirs = {
        option: parameter.default
        for option, parameter in inspect.signature(constructor).parameters.items()
        if option not in RENDERING
    }
    options = envpool_py.make_spec(task_id).options
    ours = {name: options[name].default for name in options if name not in OWN_RENDERING}
    assert ours.keys() == theirs.keys()
    assert options.keys() - ours.keys() == OWN_RENDERING
    for option, default in theirs.items():
        expected = list(default) if isinstance(default, tuple) else default
        assert ours[option] == expected, option
    tested = {option for case in OPTIONS.get(task_id, []) for option in case}
    assert tested | OWN_TEST >= ours.keys(), "an option that no test gives another value"


@pytest.mark.parametrize(("task_id", "mode"), MODE_CASES)
def test_trajectories(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode, max_episode_steps=22) as pair:
        for seed in (0, 2**63):
            counts = pair.run(policy_of(task_id), seed, 30)
    assert counts["truncated"] + counts["terminated"] >= parity.NUM_ENVS


@pytest.mark.long
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories_long(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id) as pair:
        for seed in range(5):
            counts = pair.run(policy_of(task_id), 1000 * seed, 1010)
    assert counts["truncated"] + counts["terminated"] >= parity.NUM_ENVS


@pytest.mark.parametrize(("task_id", "options"), OPTION_CASES)
def test_options(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, **options) as pair:
        pair.run(policy_of(task_id), 5, 25)


@pytest.mark.long
@pytest.mark.parametrize(("task_id", "options"), OPTION_CASES)
def test_options_long(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, **options) as pair:
        for seed in range(2):
            pair.run(policy_of(task_id), 1000 * seed, 1010)


@pytest.mark.parametrize("task_id", ["Ant-v5", "Reacher-v4", "Pusher-v5"])
def test_unequal_seeds_and_reseeding(task_id: str, parity: SimpleNamespace) -> None:
    policy, rng = policy_of(task_id), np.random.default_rng(0)
    count = parity.NUM_ENVS
    seeds: list[Any] = [
        list(range(500, 500 + count)),
        None,
        [None if env % 3 else 2**64 - 1 - env for env in range(count)],
    ]
    with parity.Lockstep(task_id) as pair:
        for seed in seeds:
            pair.reset(seed)
            for _ in range(5):
                pair.step(policy(pair.observations, rng))


def test_many_threads_and_first_ready_batches_change_nothing(parity: SimpleNamespace) -> None:
    task_id, steps, count = "Ant-v5", 40, 12
    policy, rng = policy_of(task_id), np.random.default_rng(3)
    actions = [policy(np.zeros((count, 1)), rng) for _ in range(steps)]
    expected: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(task_id, num_envs=count, num_threads=1, max_episode_steps=15) as pool:
        pool.reset(seed=9)
        for action in actions:
            observations, rewards, *_ = pool.step(action)
            for env in range(count):
                expected[env].append(observations[env].tobytes() + rewards[env].tobytes())
    got: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(
        task_id, num_envs=count, batch_size=5, num_threads=3, max_episode_steps=15
    ) as pool:
        pool.async_reset(seed=9)
        taken = np.zeros(count, int)
        while min(len(rows) for rows in got.values()) < steps:
            observations, rewards, *_, infos = pool.recv()
            env_ids = infos["env_id"]
            for row, env in enumerate(env_ids.tolist()):
                if 0 < taken[env] <= steps:
                    got[env].append(observations[row].tobytes() + rewards[row].tobytes())
            pool.send(np.array([actions[taken[env] % steps][env] for env in env_ids]), env_ids)
            taken[env_ids] += 1
        pool.drain()
    assert got == expected


# Models of the user's own


def variant_of(model: str, old: str, new: str, path: Path) -> str:
    """Writes one of Gymnasium's models with a part replaced; returns the option that names it."""
    text = (ASSETS / model).read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return str(path)


def test_a_model_of_the_users_own(tmp_path: Path, parity: SimpleNamespace) -> None:
    variant_of("ant.xml", 'gear="150"', 'gear="90"', tmp_path / "weak.xml")
    for name in (str(tmp_path / "weak.xml"), "./weak.xml"):
        with parity.Lockstep("Ant-v5", xml_file=name) as pair:
            weak = pair.ours.reset(seed=1)[0]
            pair.run(policy_of("Ant-v5"), 1, 30)
    assert weak.shape == (parity.NUM_ENVS, 105)


def test_a_model_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parity: SimpleNamespace
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    variant_of("hopper.xml", 'timestep="0.002"', 'timestep="0.004"', tmp_path / "slow.xml")
    with parity.Lockstep("Hopper-v5", xml_file="~/slow.xml") as pair:
        pair.run(policy_of("Hopper-v5"), 1, 30)


def test_a_model_without_tendons(tmp_path: Path) -> None:
    text = (ASSETS / "humanoid.xml").read_text()
    begin, end = text.index("<tendon>"), text.index("</tendon>") + len("</tendon>")
    (tmp_path / "plain.xml").write_text(text[:begin] + text[end:])
    with envpool_py.make("Humanoid-v5", num_envs=2, xml_file="./plain.xml") as pool:
        _, infos = pool.reset(seed=0)
    assert infos["tendon_length"].shape == (2, 0)


@pytest.mark.parametrize(
    ("task_id", "options", "named"),
    [
        ("Ant-v5", {"xml_file": "aunt.xml"}, r'xml_file: .* got "aunt.xml": there is no file /'),
        ("Ant-v5", {"xml_file": "./broken.xml"}, "XML Error|XML parse error"),
        ("Ant-v5", {"xml_file": "inverted_pendulum.xml"}, r"has 2 positions .* needs 3"),
        ("Ant-v5", {"main_body": 14}, r"main_body: .* in \[0, 13\], got 14"),
        ("Ant-v5", {"main_body": "head"}, 'no body "head"'),
        ("Ant-v5", {"main_body": -1}, "main_body"),
        ("Ant-v4", {"frame_skip": 3}, "frame_skip"),
        ("Reacher-v5", {"xml_file": "ant.xml"}, 'no body "fingertip"'),
        ("InvertedDoublePendulum-v5", {"xml_file": "hopper.xml"}, "0 sites"),
        ("Humanoid-v5", {"xml_file": "reacher.xml"}, r"4 positions \(nq\), the task needs 7"),
        ("Hopper-v5", {"healthy_z_range": (1.0,)}, "healthy_z_range: expected two numbers"),
        ("Hopper-v5", {"healthy_z_range": (2.0, 1.0)}, "second one not below the first"),
        ("Hopper-v5", {"healthy_z_range": (float("nan"), 1.0)}, "healthy_z_range"),
        ("Hopper-v5", {"reset_noise_scale": -0.1}, "reset_noise_scale"),
        ("Hopper-v5", {"frame_skip": 0}, "frame_skip"),
        ("Hopper-v5", {"forward_reward_wieght": 1.0}, 'did you mean "forward_reward_weight"'),
    ],
)
def test_options_that_are_refused(
    task_id: str, options: dict[str, Any], named: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody>")
    for make in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(errors.OptionError, match=named):
            make(task_id, **options)


@pytest.mark.parametrize(
    ("task_id", "options", "expected"),
    [
        ("Ant-v5", {"main_body": 1.5}, "int or str"),
        ("Ant-v5", {"xml_file": 3}, "str"),
        ("Ant-v5", {"frame_skip": 2.0}, "int"),
        ("Ant-v5", {"terminate_when_unhealthy": 1}, "bool"),
        ("Ant-v5", {"healthy_z_range": 1.0}, "list of float"),
    ],
)
def test_options_of_another_type(task_id: str, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.OptionTypeError, match=f"{next(iter(options))}.*expected {expected}"):
        envpool_py.make(task_id, **options)


# Simulations that fail


def test_a_simulation_that_explodes(
    tmp_path: Path, parity: SimpleNamespace, capfd: pytest.CaptureFixture[str]
) -> None:
    """MuJoCo warns and begins anew within the step; the episode goes on, in Gymnasium as here."""
    variant_of("half_cheetah.xml", 'timestep="0.01"', 'timestep="0.2"', tmp_path / "wild.xml")
    with parity.Lockstep("HalfCheetah-v5", xml_file="./wild.xml") as pair:
        bad = mujoco.mjtWarning.mjWARN_BADQACC
        pair.run(policy_of("HalfCheetah-v5"), 0, 300)
        warned = sum(int(env.unwrapped.data.warning[bad].number) for env in pair.theirs.envs)
    assert warned > 0, "nothing exploded"


def test_our_warnings_are_not_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    variant_of("half_cheetah.xml", 'timestep="0.01"', 'timestep="0.2"', tmp_path / "wild.xml")
    policy, rng = policy_of("HalfCheetah-v5"), np.random.default_rng(0)
    capfd.readouterr()
    with envpool_py.make("HalfCheetah-v5", num_envs=8, xml_file="./wild.xml") as pool:
        observations, _ = pool.reset(seed=0)
        for _ in range(300):
            observations, *_ = pool.step(policy(observations, rng))
    assert capfd.readouterr() == ("", "")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


@pytest.mark.parametrize("value", [1e30, np.inf])
def test_actions_beyond_all_bounds(value: float, parity: SimpleNamespace) -> None:
    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        signs = rng.choice([-1.0, 1.0], (len(observations), 1))
        return (signs * np.float64(value)).astype(np.float32)

    with parity.Lockstep("InvertedPendulum-v5") as pair, contextlib.redirect_stderr(io.StringIO()):
        pair.run(policy, 1, 30)


def test_an_error_of_mujoco_ends_one_environment_and_not_the_process(tmp_path: Path) -> None:
    """A model with too little memory for the contacts of some of its states."""
    poor = '<size memory="19K"/><option'
    path = variant_of("ant.xml", "<option", poor, tmp_path / "poor.xml")
    options: dict[str, Any] = {"xml_file": path, "terminate_when_unhealthy": False}
    policy, rng = policy_of("Ant-v5"), np.random.default_rng(0)

    def run(envs: Any) -> None:
        observations, _ = envs.reset(seed=0)
        for _ in range(500):
            observations, *_ = envs.step(policy(observations, rng))

    theirs = gymnasium.make_vec("Ant-v5", num_envs=4, vectorization_mode="sync", **options)
    with pytest.raises(mujoco.FatalError, match="stack overflow"):
        run(theirs)
    theirs.close()
    with envpool_py.make("Ant-v5", num_envs=4, num_threads=2, **options) as ours:
        with pytest.raises(errors.EnvironmentFailedError, match=r"MuJoCo: .*stack over") as caught:
            run(ours)
        failed = np.isin(np.arange(4), caught.value.env_ids)
        assert 0 < failed.sum() < 4
        observations, infos = ours.reset(options={"reset_mask": failed})
        assert (infos["elapsed_step"] > 0).tolist() == (~failed).tolist()
        assert np.isfinite(observations).all()
        assert np.isfinite(ours.step(policy(observations, rng))[0]).all()
