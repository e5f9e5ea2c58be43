"""Steps the same world in our engine and in the reference's, and compares them bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

Box2D = pytest.importorskip("Box2D")
_testing = pytest.importorskip("envpool_py._testing")

STATIC, KINEMATIC, DYNAMIC = range(3)

Point = tuple[float, float]


def f32(value: float) -> float:
    """Rounds to float32, as both engines do with their arguments."""
    return float(np.float32(value))


class _Listener(Box2D.b2ContactListener):  # type: ignore[misc, name-defined]
    def __init__(self, twin: Twin) -> None:
        super().__init__()
        self._twin = twin
        self.events: list[tuple[int, int, bool]] = []

    def _note(self, contact: Any, begins: bool) -> None:
        bodies = (contact.fixtureA.body, contact.fixtureB.body)
        first, second = (self._twin.number_of(body) for body in bodies)
        self.events.append((first, second, begins))

    def BeginContact(self, contact: Any) -> None:  # noqa: N802
        self._note(contact, True)

    def EndContact(self, contact: Any) -> None:  # noqa: N802
        self._note(contact, False)


class Twin:
    """The same world in both engines. Our numbers identify bodies, fixtures and joints."""

    def __init__(self, gravity: Point = (0.0, -10.0)) -> None:
        self.ours = _testing.World(gravity)
        self.theirs = Box2D.b2World(gravity=gravity)
        self.bodies: dict[int, Any] = {}
        self.fixtures: dict[int, tuple[int, Any]] = {}
        self.joints: dict[int, Any] = {}
        self.listener = _Listener(self)
        self.theirs.contactListener = self.listener
        self.steps = 0

    def number_of(self, body: Any) -> int:
        return int(body.userData)

    def body(self, kind: int, position: Point, angle: float = 0.0, **options: Any) -> int:
        number: int = self.ours.create_body(kind, position, angle, **options)
        names = {
            "velocity": "linearVelocity",
            "angular_velocity": "angularVelocity",
            "linear_damping": "linearDamping",
            "angular_damping": "angularDamping",
            "gravity_scale": "gravityScale",
            "bullet": "bullet",
            "fixed_rotation": "fixedRotation",
            "allow_sleep": "allowSleep",
        }
        given = {names[name]: value for name, value in options.items()}
        types = (Box2D.b2_staticBody, Box2D.b2_kinematicBody, Box2D.b2_dynamicBody)
        self.bodies[number] = self.theirs.CreateBody(
            type=types[kind], position=position, angle=angle, userData=number, **given
        )
        return number

    def fixture(
        self, body: int, kind: str, points: list[Point], radius: float = 0.0, **options: Any
    ) -> int:
        number: int = self.ours.create_fixture(body, kind, points, radius, **options)
        if kind == "circle":
            shape = Box2D.b2CircleShape(pos=points[0], radius=radius)
        elif kind == "edge":
            shape = Box2D.b2EdgeShape(vertices=points)
        elif kind == "box":
            shape = Box2D.b2PolygonShape(box=points[0])
        else:
            shape = Box2D.b2PolygonShape(vertices=points)
        names = {
            "category": "categoryBits",
            "mask": "maskBits",
            "group": "groupIndex",
            "sensor": "isSensor",
        }
        given = {names.get(name, name): value for name, value in options.items()}
        definition = Box2D.b2FixtureDef(shape=shape, **given)
        self.fixtures[number] = (body, self.bodies[body].CreateFixture(definition))
        return number

    def joint(self, a: int, b: int, anchor_a: Point, anchor_b: Point, **options: Any) -> int:
        number: int = self.ours.create_joint(a, b, anchor_a, anchor_b, **options)
        names = {
            "reference": "referenceAngle",
            "limit": "enableLimit",
            "lower": "lowerAngle",
            "upper": "upperAngle",
            "motor": "enableMotor",
            "speed": "motorSpeed",
            "torque": "maxMotorTorque",
            "collide": "collideConnected",
        }
        given = {names[name]: value for name, value in options.items()}
        self.joints[number] = self.theirs.CreateRevoluteJoint(
            bodyA=self.bodies[a],
            bodyB=self.bodies[b],
            localAnchorA=anchor_a,
            localAnchorB=anchor_b,
            **{"referenceAngle": 0.0, **given},
        )
        return number

    def destroy_body(self, body: int) -> None:
        self.ours.destroy_body(body)
        theirs = self.bodies.pop(body)
        gone = [number for number, (owner, _) in self.fixtures.items() if owner == body]
        for number in gone:
            del self.fixtures[number]
        self.joints = {
            number: joint
            for number, joint in self.joints.items()
            if theirs not in (joint.bodyA, joint.bodyB)
        }
        self.theirs.contactListener = None  # our world has no listener at this point either
        self.theirs.DestroyBody(theirs)
        self.theirs.contactListener = self.listener

    def destroy_fixture(self, fixture: int) -> None:
        self.ours.destroy_fixture(fixture)
        body, theirs = self.fixtures.pop(fixture)
        self.theirs.contactListener = None
        self.bodies[body].DestroyFixture(theirs)
        self.theirs.contactListener = self.listener

    def destroy_joint(self, joint: int) -> None:
        self.ours.destroy_joint(joint)
        self.theirs.DestroyJoint(self.joints.pop(joint))

    def push(self, body: int, vector: Point, point: Point, how: str, wake: bool = True) -> None:
        theirs = self.bodies[body]
        if how == "force":
            self.ours.apply_force(body, vector, point, wake)
            theirs.ApplyForce(vector, point, wake)
        elif how == "impulse":
            self.ours.apply_linear_impulse(body, vector, point, wake)
            theirs.ApplyLinearImpulse(vector, point, wake)
        elif how == "torque":
            self.ours.apply_torque(body, vector[0], wake)
            theirs.ApplyTorque(vector[0], wake)
        else:
            self.ours.apply_angular_impulse(body, vector[0], wake)
            theirs.ApplyAngularImpulse(vector[0], wake)

    def move(self, body: int, position: Point, angle: float) -> None:
        self.ours.set_transform(body, position, angle)
        self.bodies[body].transform = (position, angle)

    def set_motor(self, joint: int, speed: float, torque: float) -> None:
        self.ours.set_motor(joint, speed, torque)
        self.joints[joint].motorSpeed = speed
        self.joints[joint].maxMotorTorque = torque

    def step(self, dt: float = 1 / 50, velocity: int = 8, position: int = 3) -> None:
        """Steps both worlds and compares them."""
        self.listener.events = []
        events = self.ours.step(dt, velocity, position)
        self.theirs.Step(dt, velocity, position)
        self.steps += 1
        assert events == self.listener.events, f"step {self.steps}: contacts begin and end"
        self.compare()

    def compare(self) -> None:
        """Asserts that all bodies, joints and contacts are bit-equal."""
        for number, body in self.bodies.items():
            ours = self.ours.state(number)
            theirs = (
                *body.position,
                body.angle,
                *body.linearVelocity,
                body.angularVelocity,
                body.awake,
            )
            self._same(ours, theirs, f"body {number}")
        for number, joint in self.joints.items():
            ours = (self.ours.joint_angle(number), self.ours.joint_speed(number))
            self._same(ours, (joint.angle, joint.speed), f"joint {number}")
        theirs_contacts = []
        for contact in reversed(self.theirs.contacts):  # theirs has the oldest first
            points = contact.manifold.points[: contact.manifold.pointCount]
            theirs_contacts.append(
                (
                    self.number_of(contact.fixtureA.body),
                    self.number_of(contact.fixtureB.body),
                    contact.touching,
                    [(point.normalImpulse, point.tangentImpulse) for point in points],
                )
            )
        ours_contacts = self.ours.contacts()
        assert [c[:3] for c in ours_contacts] == [c[:3] for c in theirs_contacts], (
            f"step {self.steps}: contacts {ours_contacts}, expected {theirs_contacts}"
        )
        for ours, theirs in zip(ours_contacts, theirs_contacts, strict=True):
            self._same(ours[3], theirs[3], f"impulses of {ours[:2]}")

    def _same(self, ours: Any, theirs: Any, what: str) -> None:
        mine, other = np.array(ours, np.float32), np.array(theirs, np.float32)
        assert mine.shape == other.shape, f"step {self.steps}, {what}: {ours}, expected {theirs}"
        equal = mine.view(np.uint32) == other.view(np.uint32)
        assert (equal | (np.isnan(mine) & np.isnan(other))).all(), (
            f"step {self.steps}, {what}: {ours}, expected {theirs}"
        )

    def cast(self, start: Point, end: Point) -> None:
        """Compares the first hit of a ray."""
        nearest: list[Any] = []

        class Callback(Box2D.b2RayCastCallback):  # type: ignore[misc, name-defined]
            def ReportFixture(self, fixture: Any, point: Any, normal: Any, fraction: float) -> Any:  # noqa: N802
                nearest[:] = [fraction, int(fixture.body.userData), *normal]
                return fraction

        self.theirs.RayCast(Callback(), start, end)
        ours = self.ours.cast(start, end)
        assert (ours is not None) == bool(nearest)
        if nearest:
            self._same(ours[:2], nearest[:2], f"ray from {start} to {end}")
            # The reference does not rotate an edge's normal with its body. Edges are on unrotated
            # bodies here, so at most signs of zeros can differ, unless the scene has come to NaN.
            assert np.isnan(nearest[0]) or ours[2:] == tuple(nearest[2:]), (
                f"ray from {start} to {end}"
            )
