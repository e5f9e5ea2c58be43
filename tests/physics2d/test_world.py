"""Our rigid bodies equal those of Gymnasium's engine, the package box2d, bit for bit."""

from __future__ import annotations

import pytest

from .scenes import RandomScene
from .twin import DYNAMIC, STATIC, Twin


@pytest.mark.parametrize("seed", range(12))
def test_random_scenes(seed: int) -> None:
    RandomScene(seed).run(150)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_random_scenes_long(seed: int) -> None:
    RandomScene(seed).run(600)


def test_a_stack_of_boxes_comes_to_rest() -> None:
    twin = Twin()
    ground = twin.body(STATIC, (0.0, 0.0))
    twin.fixture(ground, "edge", [(-20.0, 0.0), (20.0, 0.0)])
    boxes = [twin.body(DYNAMIC, (0.01 * i, 0.6 + 1.05 * i)) for i in range(6)]
    for box in boxes:
        twin.fixture(box, "box", [(0.5, 0.5)], density=1.0, friction=0.6)
    for _ in range(250):
        twin.step(1 / 60)
    assert not any(twin.ours.state(box)[-1] for box in boxes), "they should sleep"
    twin.push(boxes[3], (4.0, 0.0), (0.0, 3.5), "impulse")
    for _ in range(100):
        twin.step(1 / 60)


def test_a_fast_body_does_not_pass_through_an_edge() -> None:
    twin = Twin()
    ground = twin.body(STATIC, (0.0, 0.0))
    twin.fixture(ground, "edge", [(-20.0, 0.0), (20.0, 0.0)])
    body = twin.body(DYNAMIC, (0.0, 5.0), velocity=(0.0, -95.0))
    twin.fixture(body, "box", [(0.1, 0.1)], density=1.0)
    for _ in range(60):
        twin.step()
        assert twin.ours.state(body)[1] > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_goes_on_with_equal_numbers(seed: int) -> None:
    scene = RandomScene(100 + seed)
    scene.run(60)
    ours = scene.twin.ours
    copied, loaded = ours.copy(), type(ours)((0.0, 0.0))
    loaded.load(ours.save())
    for _ in range(100):
        for world in (ours, copied, loaded):
            world.step(1 / 50, 8, 3)
    for body in scene.twin.bodies:
        assert ours.state(body) == copied.state(body) == loaded.state(body)


@pytest.mark.parametrize("seed", range(3))
def test_leaving_out_settled_iterations_changes_nothing(seed: int) -> None:
    scene = RandomScene(200 + seed)
    scene.run(30)
    ours = scene.twin.ours
    other = ours.copy()
    other.set_skips_settled(True)
    for _ in range(200):
        ours.step(1 / 50, 180, 60)
        other.step(1 / 50, 180, 60)
        for body in scene.twin.bodies:
            assert ours.state(body) == other.state(body)


def test_a_cleared_world_is_like_a_new_one() -> None:
    scene = RandomScene(300)
    scene.run(80)
    gravity = tuple(scene.twin.theirs.gravity)
    used, new = scene.twin.ours, type(scene.twin.ours)(gravity)
    used.clear()
    states = []
    for world in (used, new):
        ground = world.create_body(STATIC, (0.0, 0.0))
        world.create_fixture(ground, "edge", [(-9.0, 0.0), (9.0, 0.5)])
        for i in range(5):
            body = world.create_body(DYNAMIC, (0.3 * i, 2.0 + i))
            world.create_fixture(body, "circle", [(0.0, 0.0)], 0.4, density=1.0)
        world.step(1 / 50, 8, 3, 120)
        states.append([world.state(body) for body in range(6)])
    assert states[0] == states[1]
