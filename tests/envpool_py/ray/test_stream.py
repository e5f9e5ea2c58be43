"""Fragments from a Ray cluster equal those made in process, and appear once whatever fails.

The policy `stamps` records in each fragment the process that made it and the steps' numbers.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

import ray

from envpool_py.errors import ClosedError, InputError, InputTypeError, ResourceError
from envpool_py.ray import (
    ActorGroup,
    ActorSpec,
    Fragment,
    PoolActor,
    RolloutStream,
)
from envpool_py.ray.fleet.messages import Payload
from envpool_py.ray.fleet.seeds import SeedKey
from envpool_py.ray.inference import Server
from envpool_py.ray.transport import reason_of

from .policies import STAMPS, breaking, noise, seeded, stamps
from .processes import is_gone

pytestmark = [
    pytest.mark.unsanitized,
    pytest.mark.usefixtures("cluster"),
]

T, N = 16, 4


def weights(value: float) -> dict[str, Any]:
    return {"value": np.float64(value)}


def stamped(length: int = T, num_envs: int = N, task: str = "CartPole-v1") -> ActorSpec:
    return ActorSpec(task, num_envs, length, stamps(), columns=STAMPS)


class Checked:
    """Checks that fragments are complete, and that no step is in two of them."""

    def __init__(self, stream: RolloutStream) -> None:
        self.stream = stream
        self.seen: set[tuple[int, int]] = set()
        self.processes: dict[tuple[int, int], int] = {}
        self.seeds: dict[tuple[int, int], float] = {}  # of the policies
        self.last = -1

    def take(self, timeout: float = 60.0) -> Fragment:
        fragment = self.stream.take(timeout)
        column = fragment.columns["stamps"]
        assert (column == column[:, :1]).all(), "a step of two processes"
        pid, first, value, seed = column[0, 0].tolist()
        assert (column[:, 0, 1] == first + np.arange(fragment.length)).all()
        assert (column[..., 2] == value).all(), "two versions in one fragment"
        assert value == fragment.header.version
        at = fragment.header
        assert self.processes.setdefault((at.actor, at.incarnation), pid) == pid
        assert self.seeds.setdefault((at.actor, at.incarnation), seed) == seed
        assert len(set(self.seeds.values())) == len(self.seeds), "two policies have the same seed"
        assert first == at.sequence * fragment.length
        steps = {(int(pid), int(first) + t) for t in range(fragment.length)}
        assert not steps & self.seen, "a step came twice"
        self.seen |= steps
        counts = self.stream.counts
        assert counts.requested == counts.ended + self.stream.outstanding
        self.stream.publish(weights(self.stream.version + 1))
        return fragment


def pid_of(stream: RolloutStream, actor: int) -> int:
    info = stream._requests.actors[actor].info
    assert info is not None
    return info.pid


def test_synchronous_fragments_are_those_of_actors_in_process() -> None:
    spec = ActorSpec("CartPole-v1", N, T, noise())
    local = [PoolActor() for _ in range(2)]
    infos = [each.prepare(spec, SeedKey(7, 0, at, 0)) for at, each in enumerate(local)]
    with (
        ActorGroup(spec, 2, seed=7) as actors,
        RolloutStream(actors, weights=weights(1), synchronous=True) as stream,
    ):
        for number, fragments in enumerate(stream.batches(2), 1):
            for actor, info, fragment in zip(local, infos, fragments, strict=True):
                header, payload = actor.fill(number, weights(number))
                ours = Fragment(header, info.layout, Payload(*payload), 0, "numpy")
                for name, leaf in ours.flat().items():
                    assert np.array_equal(leaf, fragment.flat()[name]), name
                assert fragment.episode_returns == ours.episode_returns
                assert fragment.staleness == 0
            stream.publish(weights(number + 1))
            if number == 5:
                break
    for each in local:
        each.close()


def test_arrays_are_read_only_views_of_the_object_store() -> None:
    with (
        ActorGroup(stamped(length=256, num_envs=64), 1) as actors,
        RolloutStream(actors, weights=weights(1)) as stream,
    ):
        fragment = stream.take(timeout=60.0)
        for leaf in fragment.flat().values():
            assert not leaf.flags.writeable
        address = fragment.observations.ctypes.data
        stored = [
            line.split()[0].split("-")
            for line in Path("/proc/self/maps").read_text().splitlines()
            if "plasma" in line
        ]
        assert any(int(low, 16) <= address < int(high, 16) for low, high in stored)


def test_a_killed_actor_is_replaced() -> None:
    with (
        ActorGroup(stamped(), 2) as actors,
        RolloutStream(actors, weights=weights(1), in_flight=3) as stream,
    ):
        checked = Checked(stream)
        deaths = 0
        while deaths < 3:
            at = checked.take().header
            # Each incarnation of actor 1 fills at least one fragment before it is killed.
            if (at.actor, at.incarnation) == (1, deaths):
                deaths += 1
                if deaths < 3:
                    os.kill(pid_of(stream, 1), signal.SIGKILL)
        counts = stream.counts
        assert counts.restarts == 2
        assert counts.lost >= 2
        pids = [pid_of(stream, actor) for actor in range(2)]
    counts = stream.counts
    assert counts.requested == counts.ended
    assert all(is_gone(pid) for pid in pids)


def test_a_removed_machine_is_survived(cluster: Any, machine: Any) -> None:
    with (
        ActorGroup(stamped(length=512, num_envs=32), 4, placement="spread") as actors,
        RolloutStream(actors, weights=weights(1)) as stream,
    ):
        checked = Checked(stream)
        seen = set()
        while len(seen) < 4:
            seen.add(checked.take().header.actor)
        machines = {actor: stream._requests.actors[actor].info.machine for actor in range(4)}  # type: ignore[union-attr]
        assert len(set(machines.values())) == 2, "the actors were not spread"
        here = ray.get_runtime_context().get_node_id()
        elsewhere = {actor for actor, name in machines.items() if name != here}
        cluster.remove_node(machine, allow_graceful=False)
        replaced: set[int] = set()
        while replaced != elsewhere:
            at = checked.take(timeout=120.0).header
            if at.incarnation:
                replaced.add(at.actor)
        counts = stream.counts
        assert counts.restarts >= len(elsewhere)
        assert counts.lost >= 1


def test_a_full_object_store() -> None:
    """The learner keeps more fragments than the store of 160 MiB can hold."""
    with (
        ActorGroup(stamped(length=1024, num_envs=128), 2) as actors,
        RolloutStream(actors, weights=weights(1)) as stream,
    ):
        checked = Checked(stream)
        kept, size = [], 0
        while size < 220 * 2**20:
            kept.append(checked.take(timeout=120.0))
            size += kept[-1].header.nbytes
        assert len(checked.processes) == 2
        # The kept fragments are not overwritten.
        for fragment in kept:
            first = fragment.header.sequence * fragment.length
            assert (fragment.columns["stamps"][:, 0, 1] == first + np.arange(1024)).all()
        del kept, fragment
        for _ in range(6):
            checked.take()


def test_a_slow_learner_bounds_what_is_made() -> None:
    with (
        ActorGroup(stamped(), 2) as actors,
        RolloutStream(actors, weights=weights(1), in_flight=2) as stream,
    ):
        first = [stream.take(timeout=60.0)]
        while {each.header.actor for each in first} != {0, 1}:
            first.append(stream.take(timeout=60.0))
        # No matter how long the learner pauses, each actor has at most two fragments in flight.
        assert stream.counts.requested <= stream.counts.delivered + 2 * 2
        assert all(row.queue <= 2 for row in stream.snapshot().actors)


def test_weights_reach_the_actors() -> None:
    large = {"value": np.float64(1), "rest": np.zeros(2_000_000, np.float32)}
    with (
        ActorGroup(stamped(), 1) as actors,
        RolloutStream(actors, weights=large, in_flight=1) as stream,
    ):
        for version in range(1, 6):
            fragment = stream.take(timeout=60.0)
            assert (fragment.columns["stamps"][..., 2] == version).all()
            assert fragment.header.version == version
            stream.publish({**large, "value": np.float64(version + 1)})


def test_errors_of_the_policy_reach_the_learner() -> None:
    spec = ActorSpec("CartPole-v1", N, T, breaking(), columns={})
    with ActorGroup(spec, 1) as actors, RolloutStream(actors) as stream:
        with pytest.raises(ArithmeticError, match="of the user") as raised:
            stream.take(timeout=60.0)
        assert "in act" in str(raised.value.__cause__)
        assert stream.take(timeout=60.0).header.sequence == 0


@pytest.mark.parametrize("inference", ["local", "central"])
def test_exceptions_that_cannot_be_sent_are_no_deaths(inference: str) -> None:
    spec = ActorSpec("CartPole-v1", N, T, breaking("awkward"), columns={})
    with ActorGroup(spec, 1, inference=inference) as actors, RolloutStream(actors) as stream:
        with pytest.raises(Exception, match="3 of 4"):
            stream.take(timeout=60.0)
        assert stream.take(timeout=60.0).header.sequence == 0
        assert stream.counts.restarts == 0
        assert stream.counts.failed == 1


def test_weights_that_a_policy_refuses_once() -> None:
    """The requests that are in flight have the weights, too."""
    spec = ActorSpec("CartPole-v1", N, T, breaking("weights"), columns={})
    with ActorGroup(spec, 1) as actors, RolloutStream(actors, in_flight=3) as stream:
        with pytest.raises(ArithmeticError, match="of the user"):
            stream.take(timeout=60.0)
        assert stream.take(timeout=60.0).header.sequence == 0


def test_a_policy_that_stops_the_iteration() -> None:
    """Central inference answers later requests."""
    spec = ActorSpec("CartPole-v1", N, T, breaking("stop"), columns={})
    with (
        ActorGroup(spec, 1, inference="central") as actors,
        RolloutStream(actors) as stream,
    ):
        with pytest.raises(Exception, match="StopIteration"):
            stream.take(timeout=60.0)
        assert stream.take(timeout=60.0).header.sequence == 0


def test_a_cancelled_request_leaves_central_inference_usable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also one that is cancelled while its batch is computed."""
    context = SimpleNamespace(was_current_actor_reconstructed=False)  # here is no actor
    monkeypatch.setattr(ray, "get_runtime_context", lambda: context)
    begun, ends = threading.Event(), threading.Event()

    class Slow:
        def act(self, observations: Any) -> Any:
            begun.set()
            assert ends.wait(60.0)
            return observations, {}

        def set_weights(self, weights: Any) -> None: ...

    async def run() -> None:
        spec = ActorSpec("CartPole-v1", N, T, lambda _: Slow(), columns={})
        server = Server(spec, 2, SeedKey(0, 0, 0, 0))
        requests = [asyncio.create_task(server.act(-1, np.full((1, 4), n))) for n in range(2)]
        await asyncio.to_thread(begun.wait)
        waiting = [asyncio.create_task(server.act(-1, np.full((1, 4), n))) for n in (2, 3)]
        await asyncio.sleep(0)
        requests[0].cancel()
        waiting[0].cancel()
        await asyncio.sleep(0)
        ends.set()
        for request, value in ((requests[1], 1), (waiting[1], 3)):
            answer = await request
            assert answer is not None
            assert answer[1].tolist() == [[value] * 4]
        assert server._serving is None or await server._serving is None
        answer = await server.act(-1, np.full((1, 4), 5))
        assert answer is not None
        assert answer[1].tolist() == [[5] * 4]

    asyncio.run(run())


def test_the_policy_of_central_inference_has_the_seed_of_the_fleet() -> None:
    seen = []
    for seed in (0, 0, 1):
        spec = ActorSpec("CartPole-v1", N, T, seeded(), columns={})
        with (
            ActorGroup(spec, 1, inference="central", seed=seed) as actors,
            RolloutStream(actors, synchronous=True) as stream,
        ):
            seen.append(stream.take(timeout=60.0).actions.tolist())
    assert seen[0] == seen[1] != seen[2]


def test_gpus_that_the_cluster_does_not_have() -> None:
    with pytest.raises(
        ResourceError, match=r"inference_gpus: the cluster has 0 GPUs after .* and needs 7"
    ):
        ActorGroup(stamped(), 1, inference="central", inference_gpus=7, start_timeout=0.5)


def test_errors_of_the_pool_reach_the_learner() -> None:
    spec = ActorSpec("CartPole-v1", N, T, noise(), settings={"no_such_option": 1})
    with ActorGroup(spec, 1) as actors, RolloutStream(actors) as stream:
        with pytest.raises(ValueError, match="no_such_option"):
            stream.take(timeout=60.0)
        assert stream.counts.restarts == 0


def test_the_reason_of_a_death_is_one_line() -> None:
    killed = RuntimeError("The actor died unexpectedly.\n\tname: RayPoolActor\n\tpid: 1")
    assert reason_of(killed) == "RuntimeError: The actor died unexpectedly."
    text = "The actor died because of an error raised in its creation task, ray::...\n"
    raised = RuntimeError(f'{text}  File "x.py", line 1, in f\nImportError: No module named "y"\n')
    assert reason_of(raised) == 'RuntimeError: ImportError: No module named "y"'
    assert reason_of(RuntimeError()) == "RuntimeError: "


def test_central_inference_survives_its_actor() -> None:
    spec = stamped(num_envs=3)
    with (
        ActorGroup(spec, 2, inference="central") as actors,
        RolloutStream(actors, weights=weights(1)) as stream,
    ):
        pids, seeds = set(), set()
        for number in range(40):
            fragment = stream.take(timeout=60.0)
            stamp = fragment.columns["stamps"]
            assert (stamp[:, :1] == stamp).all(), "rows of another request"
            pids |= set(stamp[:, 0, 0].tolist())
            seeds |= set(stamp[:, 0, 3].tolist())
            # The policy uses one version for a whole batch: the newest that it has received.
            assert stamp[..., 2].min() == fragment.header.version
            assert (np.diff(stamp[:, 0, 2]) >= 0).all()
            stream.publish(weights(stream.version + 1))
            if number == 10:
                ray.kill(actors._server.handle, no_restart=False)
            if len(pids) > 1:
                break
        assert len(pids) == 2
        assert len(seeds) == 2, "the policy's random numbers were repeated"
        assert stream.counts.restarts == 0


@pytest.mark.parametrize("inference", ["local", "central"])
def test_a_group_serves_one_stream_after_another(inference: str) -> None:
    with ActorGroup(stamped(), 1, inference=inference) as actors:
        with RolloutStream(actors, weights=weights(5)) as first:
            first.publish(weights(5))
            assert first.take(timeout=60.0).header.version == 2
            with pytest.raises(InputError, match="another stream uses this group"):
                RolloutStream(actors)
        # The second stream's versions start again, and so do the weights of central inference.
        with RolloutStream(actors, weights=weights(7)) as second:
            fragment = second.take(timeout=60.0)
            assert (fragment.columns["stamps"][..., 2] == 7).all()
    with pytest.raises(ClosedError):
        RolloutStream(actors)


def test_an_actor_for_each_memory_node(machine: Any) -> None:
    with ActorGroup(stamped(), placement="numa") as actors:
        # Each of the two simulated machines has the NUMA nodes of the real one.
        nodes = actors.num_actors // 2
        assert actors.num_actors == 2 * nodes
        with RolloutStream(actors, weights=weights(1)) as stream:
            checked = Checked(stream)
            seen: set[int] = set()
            while len(seen) < actors.num_actors:
                seen.add(checked.take().header.actor)
            infos = [state.info for state in stream._requests.actors]
            assert len({info.machine for info in infos if info is not None}) == 2
        with pytest.raises(ResourceError, match="expected at most"):
            ActorGroup(stamped(), 100, placement="numa")


def test_processors_that_the_cluster_does_not_have() -> None:
    with pytest.raises(ResourceError, match="needs 100 times 1 free processors"):
        ActorGroup(stamped(), 100, start_timeout=0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_actors": None}, "num_actors: expected a number"),
        ({"num_actors": 0}, "num_actors: expected at least 1"),
        ({"num_actors": 1, "placement": "far"}, "placement: expected"),
        ({"num_actors": 1, "inference": "remote"}, "inference: expected"),
        ({"num_actors": 1, "cpus_per_actor": 0}, "cpus_per_actor: expected at least 1"),
    ],
)
def test_arguments_are_checked(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ActorGroup(stamped(), **arguments)
    with pytest.raises(InputTypeError, match="spec: expected an ActorSpec"):
        ActorGroup("CartPole-v1", 1)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="actors: expected an ActorGroup"):
        RolloutStream([])  # type: ignore[arg-type]


def test_another_stream_of_the_same_actors_has_other_seeds() -> None:
    seen = []
    with ActorGroup(stamped(), 1, seed=3) as actors:
        for resumes in range(2):
            with RolloutStream(actors, weights=weights(0.0), synchronous=True) as stream:
                seen.append(np.array(stream.take().observations))
                assert stream.state_dict()["resumes"] == resumes
    assert not np.array_equal(*seen)
