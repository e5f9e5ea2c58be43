"""The MuJoCo tasks with user models: results as in Gymnasium, or an error that names the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import pytest

import envpool_py
from envpool_py import make_spec
from envpool_py.tasks.families.mujoco.tasks import TASKS
from envpool_py.tasks.manifest import base_name

pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = [pytest.mark.numbers, pytest.mark.usefixtures("mujoco_log_elsewhere")]

VariantOf = Callable[[str, Mapping[str, str], str], str]
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"

RK4 = 'integrator="RK4"'
# For each task, one of Gymnasium's models and replacements in it: other integrators, solvers, cones
# and time steps, actuators with activations (part of the state), spinning joints, sensors, and
# joints that the task does not use.
VARIANTS: dict[str, tuple[str, dict[str, str]]] = {
    "Ant-v5": ("ant.xml", {RK4: 'integrator="implicitfast" cone="elliptic"', "0.01": "0.007"}),
    "HalfCheetah-v5": (
        "half_cheetah.xml",
        {
            "<option ": '<option integrator="implicit" solver="CG" iterations="10" ',
            '<motor gear="120"': '<general dyntype="filter" dynprm="0.05" gear="120"',
        },
    ),
    "Hopper-v5": (
        "hopper.xml",
        {
            "</actuator>": '</actuator><sensor><touch site="foot" noise="0.1"/></sensor>',
            '<joint axis="0 -1 0" name="foot_joint"': '<site name="foot"/>'
            '<joint axis="0 -1 0" name="foot_joint"',
        },
    ),
    "Humanoid-v5": ("humanoid.xml", {RK4: "", 'solver="PGS"': 'solver="Newton"'}),
    "HumanoidStandup-v5": (
        "humanoidstandup.xml",
        {RK4: 'integrator="implicitfast"', 'iterations="50"': 'iterations="7"'},
    ),
    "InvertedDoublePendulum-v5": (
        "inverted_double_pendulum.xml",
        {'gravity="1e-5 0 -9.81"': 'gravity="0 0 -3" wind="1 0 0" density="9"'},
    ),
    "InvertedPendulum-v5": (
        "inverted_pendulum.xml",
        {
            "<motor ": '<general dyntype="integrator" actlimited="true" actrange="-2 2" '
            'gainprm="30" biastype="none" ',
        },
    ),
    "Pusher-v5": ("pusher_v5.xml", {'gravity="0 0 0"': 'gravity="0 0 -1" jacobian="sparse"'}),
    "Reacher-v5": ("reacher.xml", {RK4: 'integrator="implicit"', 'gear="200.0"': 'gear="90"'}),
    "Swimmer-v5": ("swimmer.xml", {'viscosity="0.1"': 'viscosity="0.3"', RK4: ""}),
    "Walker2d-v5": ("walker2d_v5.xml", {RK4: "", "0.002": "0.003"}),
}


def test_names_of_a_model(variant_of: VariantOf, parity: SimpleNamespace) -> None:
    path = variant_of("ant.xml", {'gear="150"': 'gear="90"'}, "weak.xml")
    for name in (path, "./weak.xml"):
        with parity.Lockstep("Ant-v5", xml_file=name) as pair:
            weak = pair.ours.reset(seed=1)[0]
            pair.run(parity.box_policy("Ant-v5"), 1, 10)
    assert weak.shape == (parity.NUM_ENVS, 105)


@pytest.mark.parametrize("task_id", sorted(VARIANTS))
def test_models_of_the_users_own(
    task_id: str, variant_of: VariantOf, parity: SimpleNamespace
) -> None:
    path = variant_of(*VARIANTS[task_id], "own.xml")
    with parity.Lockstep(task_id, xml_file=path, num_envs=4) as pair:
        pair.run(parity.box_policy(task_id), 1, 25)


@pytest.mark.long
@pytest.mark.parametrize("task_id", sorted(VARIANTS))
def test_models_of_the_users_own_long(
    task_id: str, variant_of: VariantOf, parity: SimpleNamespace
) -> None:
    path = variant_of(*VARIANTS[task_id], "own.xml")
    with parity.Lockstep(task_id, xml_file=path, num_envs=8, max_episode_steps=300) as pair:
        for seed in range(5):
            counts = pair.run(parity.box_policy(task_id), 1000 * seed, 1000)
    assert counts["truncated"] + counts["terminated"] >= 5 * 8 * 3


def test_a_model_in_the_home_directory(
    tmp_path: Path,
    variant_of: VariantOf,
    monkeypatch: pytest.MonkeyPatch,
    parity: SimpleNamespace,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    variant_of("hopper.xml", {'timestep="0.002"': 'timestep="0.004"'}, "slow.xml")
    with parity.Lockstep("Hopper-v5", xml_file="~/slow.xml") as pair:
        pair.run(parity.box_policy("Hopper-v5"), 1, 30)


def test_a_model_without_tendons(tmp_path: Path) -> None:
    text = (ASSETS / "humanoid.xml").read_text()
    begin, end = text.index("<tendon>"), text.index("</tendon>") + len("</tendon>")
    (tmp_path / "plain.xml").write_text(text[:begin] + text[end:])
    with envpool_py.make("Humanoid-v5", num_envs=2, xml_file="./plain.xml") as pool:
        _, infos = pool.reset(seed=0)
    assert infos["tendon_length"].shape == (2, 0)


def test_tasks_and_models_are_distinguished() -> None:
    """Each v5 task with a model file has a variant here, also tasks that Gymnasium may add.

    Gymnasium's v4 tasks other than Ant's have no such argument; test_mujoco_envpool_options.py
    compares them with v4 classes that get the file.
    """
    with_file = {task_id for task_id in TASKS if "xml_file" in make_spec(task_id).options}
    assert {task_id for task_id in with_file if task_id.endswith("-v5")} == VARIANTS.keys()
    assert {base_name(task_id) for task_id in with_file} == {base_name(name) for name in VARIANTS}
