"""Random scenes: the contents of a world, and changes to it between steps."""

from __future__ import annotations

import numpy as np

from .twin import DYNAMIC, KINEMATIC, STATIC, Point, Twin, f32


class RandomScene:
    """A world with ground, and bodies of all kinds that fall, collide, are pushed and destroyed."""

    def __init__(self, seed: int, *, boxes_only: bool = False) -> None:
        self.rng = np.random.default_rng(seed)
        self.boxes_only = boxes_only
        self.twin = Twin((0.0, float(self.rng.uniform(-15.0, -1.0))))
        self.ground = self.twin.body(STATIC, (0.0, 0.0))
        self._add_ground()
        self.movers: list[int] = []
        for _ in range(self.rng.integers(3, 14)):
            self.add_mover()
        for _ in range(self.rng.integers(0, 5)):
            self.add_joint()

    def _add_ground(self) -> None:
        rng, twin = self.rng, self.twin
        heights = rng.uniform(0.0, 1.5, 12)
        for i in range(11):
            ends = [(2.0 * i - 11.0, heights[i]), (2.0 * i - 9.0, heights[i + 1])]
            twin.fixture(self.ground, "edge", ends, friction=float(rng.uniform(0.0, 2.0)))
        for x in (-11.0, 11.0):
            twin.fixture(self.ground, "edge", [(x, 0.0), (x, 12.0)])
        for _ in range(rng.integers(0, 4)):
            kind = KINEMATIC if rng.random() < 0.4 else STATIC
            block = twin.body(
                kind,
                (float(rng.uniform(-8.0, 8.0)), float(rng.uniform(1.0, 4.0))),
                float(rng.uniform(-3.0, 3.0)),
                velocity=(float(rng.uniform(-1.0, 1.0)), 0.0) if kind == KINEMATIC else (0.0, 0.0),
                angular_velocity=float(rng.uniform(-1.0, 1.0)) if kind == KINEMATIC else 0.0,
            )
            twin.fixture(block, "box", [(float(rng.uniform(0.3, 1.5)), 0.3)])

    def polygon(self, size: float) -> list[Point]:
        """Returns the corners of a convex polygon, in random order."""
        count = int(self.rng.integers(3, 9))
        angles = np.sort(self.rng.uniform(0.0, 2.0 * np.pi, count))
        while np.diff(angles, append=angles[0] + 2.0 * np.pi).min() < 0.25:
            angles = np.sort(self.rng.uniform(0.0, 2.0 * np.pi, count))
        corners = [(size * float(np.cos(a)), size * float(np.sin(a))) for a in angles]
        self.rng.shuffle(corners)
        return [(float(x), float(y)) for x, y in corners]

    def add_shape(self, body: int) -> None:
        rng = self.rng
        size = float(rng.uniform(0.2, 0.9))
        options = {
            "density": float(rng.uniform(0.1, 6.0)),
            "friction": float(rng.uniform(0.0, 1.5)),
            "restitution": float(rng.uniform(0.0, 0.9)) if rng.random() < 0.5 else 0.0,
            "sensor": bool(rng.random() < 0.06),
        }
        if rng.random() < 0.15:
            options["category"] = 2
            options["mask"] = int(rng.choice([1, 3, 0xFFFF]))
        if rng.random() < 0.08:
            options["group"] = int(rng.choice([-1, 1]))
        kind = "box" if self.boxes_only else str(rng.choice(["box", "circle", "polygon"]))
        if kind == "circle":
            center = (float(rng.uniform(-0.2, 0.2)), float(rng.uniform(-0.2, 0.2)))
            self.twin.fixture(body, kind, [center], size, **options)
        elif kind == "box":
            self.twin.fixture(body, kind, [(size, float(rng.uniform(0.1, 0.8)))], **options)
        else:
            self.twin.fixture(body, kind, self.polygon(size), **options)

    def add_mover(self) -> None:
        rng = self.rng
        fast = rng.random() < 0.3
        speed = 60.0 if fast else 3.0
        body = self.twin.body(
            DYNAMIC,
            (float(rng.uniform(-9.0, 9.0)), float(rng.uniform(2.0, 11.0))),
            float(rng.uniform(-4.0, 4.0)),
            velocity=(float(rng.uniform(-speed, speed)), float(rng.uniform(-speed, speed))),
            angular_velocity=float(rng.uniform(-5.0, 5.0)),
            linear_damping=float(rng.uniform(0.0, 0.5)) if rng.random() < 0.3 else 0.0,
            angular_damping=float(rng.uniform(0.0, 0.5)) if rng.random() < 0.3 else 0.0,
            gravity_scale=float(rng.uniform(0.2, 1.5)) if rng.random() < 0.2 else 1.0,
            bullet=bool(rng.random() < 0.25),
            fixed_rotation=bool(rng.random() < 0.1),
            allow_sleep=bool(rng.random() < 0.9),
        )
        for _ in range(rng.integers(1, 3)):
            self.add_shape(body)
        self.movers.append(body)

    def add_joint(self) -> None:
        rng = self.rng
        if len(self.movers) < 2:
            return
        a, b = (int(each) for each in rng.choice(self.movers, 2, replace=False))
        if rng.random() < 0.15:
            a = self.ground
        lower = float(rng.uniform(-1.5, 0.5))
        self.twin.joint(
            a,
            b,
            (float(rng.uniform(-0.6, 0.6)), float(rng.uniform(-0.6, 0.6))),
            (float(rng.uniform(-0.6, 0.6)), float(rng.uniform(-0.6, 0.6))),
            reference=float(rng.uniform(-0.5, 0.5)),
            limit=bool(rng.random() < 0.6),
            lower=lower,
            upper=lower + (0.02 if rng.random() < 0.15 else float(rng.uniform(0.1, 2.0))),
            motor=bool(rng.random() < 0.6),
            speed=float(rng.uniform(-6.0, 6.0)),
            torque=float(rng.uniform(0.0, 60.0)),
            collide=bool(rng.random() < 0.3),
        )

    def disturb(self) -> None:
        """Sometimes changes the world at random."""
        rng, twin = self.rng, self.twin
        kind = rng.random()
        if kind < 0.08 and self.movers:
            how = str(rng.choice(["force", "impulse", "torque", "spin"]))
            at = (float(rng.uniform(-9.0, 9.0)), float(rng.uniform(0.0, 9.0)))
            vector = (float(rng.uniform(-9.0, 9.0)), float(rng.uniform(-9.0, 9.0)))
            twin.push(int(rng.choice(self.movers)), vector, at, how, bool(rng.random() < 0.7))
        elif kind < 0.10:
            self.add_mover()
        elif kind < 0.12 and len(self.movers) > 2:
            body = int(rng.choice(self.movers))
            self.movers.remove(body)
            twin.destroy_body(body)
        elif kind < 0.13:
            self.add_joint()
        elif kind < 0.135 and twin.joints:
            twin.destroy_joint(int(rng.choice(list(twin.joints))))
        elif kind < 0.15 and twin.joints:
            joint = int(rng.choice(list(twin.joints)))
            twin.set_motor(joint, float(rng.uniform(-5.0, 5.0)), float(rng.uniform(0.0, 50.0)))
        elif kind < 0.16 and self.movers:
            position = (float(rng.uniform(-8.0, 8.0)), float(rng.uniform(2.0, 9.0)))
            twin.move(int(rng.choice(self.movers)), position, float(rng.uniform(-3.0, 3.0)))
        elif kind < 0.165 and self.movers:
            self.add_shape(int(rng.choice(self.movers)))
        elif kind < 0.17:
            own = [f for f, (body, _) in twin.fixtures.items() if body in self.movers]
            many = [
                f
                for f in own
                if sum(b == twin.fixtures[f][0] for b, _ in twin.fixtures.values()) > 1
            ]
            if many:
                twin.destroy_fixture(int(rng.choice(many)))

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.disturb()
            dt = 1 / 50 if self.rng.random() < 0.9 else f32(self.rng.uniform(0.005, 0.04))
            self.twin.step(dt, int(self.rng.integers(1, 12)), int(self.rng.integers(1, 6)))
            if self.rng.random() < 0.3:
                x, y, dx, dy = self.rng.uniform(-10.0, 10.0, 4)
                self.twin.cast((float(x), abs(float(y))), (float(x + dx), float(y + dy)))
