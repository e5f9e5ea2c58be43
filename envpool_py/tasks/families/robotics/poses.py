"""How far the pose of an object is from another one, for the goals of HandManipulate.

A pose has seven numbers: a position (m) and a rotation, a quaternion with its real part first. The
arithmetic is that of Gymnasium-Robotics' `_goal_distance`, and results are bit-equal to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pose_errors"]

Array = NDArray[np.float64]
_SMALLEST = np.finfo(np.float64).eps


def pose_errors(
    achieved: Array, desired: Array, *, with_position: bool, ignore_z: bool
) -> tuple[Any, Any]:
    """Returns the distances (m) and the angles (radians) between poses.

    Args:
        achieved: one pose, (7,), or a batch, (..., 7).
        desired: the same shape.
        with_position: whether the distance counts; otherwise it is 0.
        ignore_z: whether the rotation about z does not count. The reference replaces an angle by
            an index that selects another pose in a batch: of (rows, 7) with three rows or more,
            the third row has no error of its rotation and the rotation about z counts in all
            others. So it is here; in smaller batches, which the reference refuses, the rotation
            about z does not count.

    Returns:
        Two arrays (...), or scalars for one pose.
    """
    distance: Any = np.zeros_like(achieved[..., 0])
    if with_position:
        distance = np.linalg.norm(achieved[..., :3] - desired[..., :3], axis=-1)
    rotation, wanted = achieved[..., 3:], desired[..., 3:]
    if ignore_z:
        euler, wanted_euler = _euler_angles(rotation), _euler_angles(wanted)
        if euler.ndim == 2 and len(euler) >= 3:
            euler[2] = wanted_euler[2]
        else:
            euler[..., 2] = wanted_euler[..., 2]
        rotation = _quaternions(euler)
    cosine = rotation[..., 0] * wanted[..., 0]
    for axis in (1, 2, 3):
        cosine = cosine + rotation[..., axis] * wanted[..., axis]
    return distance, 2 * np.arccos(np.clip(cosine, -1.0, 1.0))


def _euler_angles(rotation: Array) -> Array:
    """Returns the angles about x, y and z (radians) of quaternions: (..., 4) gives (..., 3)."""
    rotation = np.asarray(rotation, dtype=np.float64)
    w, x, y, z = (rotation[..., i] for i in range(4))
    squares = np.sum(rotation * rotation, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 2.0 / squares
        xs, ys, zs = x * scale, y * scale, z * scale
        entries = [
            [1.0 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys],
            [x * ys + w * zs, 1.0 - (x * xs + z * zs), y * zs - w * xs],
            [x * zs - w * ys, y * zs + w * xs, 1.0 - (x * xs + y * ys)],
        ]
    is_rotation = squares > _SMALLEST
    m = [[np.where(is_rotation, entries[i][j], float(i == j)) for j in range(3)] for i in range(3)]
    cosine = np.sqrt(m[2][2] * m[2][2] + m[1][2] * m[1][2])
    is_regular = cosine > 4.0 * _SMALLEST
    about_x = np.where(is_regular, -np.arctan2(m[1][2], m[2][2]), 0.0)
    about_y = -np.arctan2(-m[0][2], cosine)
    about_z = np.where(is_regular, -np.arctan2(m[0][1], m[0][0]), -np.arctan2(-m[1][0], m[1][1]))
    return np.stack([about_x, about_y, about_z], axis=-1)


def _quaternions(euler: Array) -> Array:
    """Returns the quaternions of angles about x, y and z (radians): (..., 3) gives (..., 4)."""
    i, j, k = euler[..., 2] / 2, -euler[..., 1] / 2, euler[..., 0] / 2
    si, sj, sk = np.sin(i), np.sin(j), np.sin(k)
    ci, cj, ck = np.cos(i), np.cos(j), np.cos(k)
    cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
    return np.stack(
        [cj * cc + sj * ss, cj * cs - sj * sc, -(cj * ss + sj * cc), cj * sc - sj * cs], axis=-1
    )
