"""Predictions agree with results computed by hand."""

from __future__ import annotations

import dataclasses

import pytest

from envpool_py.errors import InputError
from envpool_py.ray.fleet.sizing import Measurements, central_fill_s, predict

MEASURED = Measurements(
    steps=1_000,
    fill_s=0.1,
    learn_s=0.001,
    fragment_bytes=1_000_000,
    weights_bytes=1_000,
    store_bytes_per_s=1e12,
    request_s=0.0,
    round_trip_s=0.0,
    network_bytes_per_s=1e12,
    actors_per_machine=10,
)


@pytest.mark.parametrize("actors", [1, 10, 40])
def test_actors_are_the_limit(actors: int) -> None:
    predicted = predict(MEASURED, actors)
    assert predicted.steps_per_s == pytest.approx(actors * 1_000 / 0.1, rel=0.05)
    assert predicted.actors_busy > 0.95
    assert predicted.learner_busy == pytest.approx(actors * 0.001 / 0.1, rel=0.05)


def test_the_learner_is_the_limit() -> None:
    predicted = predict(dataclasses.replace(MEASURED, learn_s=0.02), 40, in_flight=2)
    assert predicted.fragments_per_s == pytest.approx(50.0, rel=0.01)
    assert predicted.learner_busy == pytest.approx(1.0, abs=0.01)
    # One of the 40 actors' fragments is in use. All others wait while their weights age.
    assert 2 * 40 - 5 <= predicted.staleness <= 2 * 40 - 1
    assert predict(dataclasses.replace(MEASURED, learn_s=0.02), 40, in_flight=1).staleness <= 40


def test_the_network_is_the_limit() -> None:
    measured = dataclasses.replace(MEASURED, network_bytes_per_s=2e8)
    predicted = predict(measured, 100)
    assert predicted.fragments_per_s == pytest.approx(200.0, rel=0.02)
    assert predicted.in_bytes_per_s == pytest.approx(2e8, rel=0.02)
    # The first ten actors run on the learner's machine.
    assert predict(measured, 10).in_bytes_per_s == 0


def test_weights_are_fetched_once_for_each_machine() -> None:
    measured = dataclasses.replace(MEASURED, weights_bytes=10_000)
    predicted = predict(measured, 40)
    # There are four machines, and the learner publishes weights with each fragment.
    assert predicted.out_bytes_per_s <= predicted.fragments_per_s * 10_000 * 1.01
    assert predicted.out_bytes_per_s >= predicted.fragments_per_s * 10_000 * 0.2


def test_central_inference() -> None:
    measured = dataclasses.replace(
        MEASURED,
        length=10,
        act_s=0.05,
        observation_bytes=1_000,
        server_call_s=0.002,
        server_actor_s=0.0,
        round_trip_s=0.001,
    )
    # Ten steps, each 5 ms in the environments, 1 ms of round trip and 2 ms in the server.
    assert central_fill_s(measured, 1) == pytest.approx(10 * 0.008)
    assert central_fill_s(measured, 100) == pytest.approx(10 * 0.009)
    predicted = predict(measured, 20, inference="central")
    assert predicted.steps_per_s == pytest.approx(20 * 1_000 / 0.09, rel=0.05)
    assert predicted.inference_bytes_per_s == pytest.approx(20 * 10 * 1_000 / 0.09, rel=0.05)
    # The observations of all actors share one network.
    slow = dataclasses.replace(measured, network_bytes_per_s=1e6)
    assert central_fill_s(slow, 100) >= 10 * 100 * 1_000 / 1e6


def test_arguments_are_checked() -> None:
    with pytest.raises(InputError, match="inference: expected"):
        predict(MEASURED, 1, inference="near")
    with pytest.raises(InputError, match="num_actors: expected at least 1"):
        predict(MEASURED, 0)
