"""Changes of MuJoCo models, made in a reference's model and as the option `model` of our tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

ROOT = Path(__file__).resolve().parents[2]

OBJECTS = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "jnt": mujoco.mjtObj.mjOBJ_JOINT,
    "dof": mujoco.mjtObj.mjOBJ_JOINT,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
}
"""The kind of the objects of a field, by how the field's name begins."""


def array_of(model: Any, field: str) -> Any:
    """Returns a field of a model of the bindings: an array, or a number of `opt`."""
    owner = model
    *path, last = field.split(".")
    for name in path:
        owner = getattr(owner, name)
    return getattr(owner, last)


def rows_of(model: Any, field: str, name: str | int) -> Any:
    """Returns the index of an object in a field: of all degrees of freedom of a joint."""
    if isinstance(name, int):
        return name
    row = mujoco.mj_name2id(model, OBJECTS[field.split("_")[0]], name)
    assert row >= 0, name
    if not field.startswith("dof") or model.jnt_type[row] != mujoco.mjtJoint.mjJNT_FREE:
        return model.jnt_dofadr[row] if field.startswith("dof") else row
    return slice(model.jnt_dofadr[row], model.jnt_dofadr[row] + 6)


def edit(model: Any, changes: Mapping[str, Any]) -> None:
    """Makes the changes in a model of the bindings, as a program does."""
    for field, value in changes.items():
        if isinstance(value, Mapping):
            for name, numbers in value.items():
                array_of(model, field)[rows_of(model, field, name)] = numbers
        elif np.ndim(array_of(model, field)) > 0:
            array_of(model, field)[...] = value
        else:
            setattr(model.opt, field.removeprefix("opt."), value)


def scaled(model: Any, fields: list[str], rng: np.random.Generator) -> dict[str, Any]:
    """Returns changes: each number of the fields times a random factor."""
    changes: dict[str, Any] = {}
    for field in fields:
        value = np.array(array_of(model, field), np.float64)
        changed = value * rng.uniform(0.7, 1.3, value.shape)
        changes[field] = changed if value.ndim > 0 else float(changed)
    return changes


MODEL = """
<mujoco>
  <option timestep="0.005" gravity="0.1 0 -9.81"/>
  <asset>
    <texture name="checks" type="2d" builtin="checker" width="8" height="8"/>
    <material name="skin" texture="checks" rgba="0.9 0.5 0.3 1"/>
  </asset>
  <worldbody>
    <light name="sun" pos="0 0 4" dir="0.1 0 -1"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <geom name="floor" type="plane" size="20 20 1" friction="0.9 0.01 0.001"/>
    <geom name="stone" type="box" pos="0.6 0 0.05" size="0.1 0.3 0.05"/>
    <body name="torso" pos="0 0 0.35">
      <joint name="rootx" type="slide" axis="1 0 0"/>
      <joint name="rootz" type="slide" axis="0 0 1"/>
      <joint name="rooty" type="hinge" axis="0 1 0"/>
      <geom name="chest" type="capsule" fromto="-0.3 0 0 0.3 0 0" size="0.06" material="skin"/>
      <site name="head" pos="0.3 0 0.1" size="0.02"/>
      <site name="tail" pos="-0.3 0 0"/>
      <body name="front" pos="0.3 0 0">
        <joint name="shoulder" type="hinge" axis="0 1 0" limited="true" range="-60 60"
               damping="0.4" stiffness="2" springref="10" armature="0.02" frictionloss="0.05"/>
        <geom name="front_leg" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.04" condim="4"/>
      </body>
      <body name="back" pos="-0.3 0 0">
        <joint name="hip" type="hinge" axis="0 1 0" limited="true" range="-60 60" damping="0.3"/>
        <geom name="back_leg" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.04" margin="0.01"/>
        <site name="toe" pos="0 0 -0.25"/>
      </body>
    </body>
    <body name="ball" pos="0.2 0.02 0.9">
      <freejoint name="flight"/>
      <geom name="ball" type="sphere" size="0.07" mass="0.3"/>
      <site name="knot"/>
    </body>
  </worldbody>
  <contact>
    <pair name="kick" geom1="ball" geom2="chest" friction="0.8 0.7 0.01 0.001 0.001"/>
  </contact>
  <equality><joint name="gear" joint1="shoulder" joint2="hip" polycoef="0.1 0.4 0 0 0"/></equality>
  <tendon>
    <spatial name="rope" limited="true" range="0 0.6" stiffness="3" damping="0.2"
             springlength="0.3">
      <site site="head"/><site site="knot"/>
    </spatial>
    <fixed name="sum" frictionloss="0.02">
      <joint joint="shoulder" coef="1"/><joint joint="hip" coef="1"/>
    </fixed>
  </tendon>
  <actuator>
    <motor name="push" joint="shoulder" gear="20" ctrllimited="true" ctrlrange="-1 1"/>
    <general name="pull" joint="hip" dyntype="filter" dynprm="0.05" gainprm="15" biastype="affine"
             biasprm="0 -2 -0.1" ctrllimited="true" ctrlrange="-1 1" forcelimited="true"
             forcerange="-12 12" actlimited="true" actrange="-0.9 0.9"/>
  </actuator>
  <sensor><touch name="touch" site="toe" noise="0.1" cutoff="9"/></sensor>
</mujoco>
"""
"""A model of HalfCheetah's form that has objects of every kind."""
