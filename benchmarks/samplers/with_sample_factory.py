"""Measures Sample Factory's sampler once: its environments, its policy, its rollouts.

    python -m benchmarks.samplers.with_sample_factory --task Pong-v5 --num-envs 32 --workers 2
        --length 20 --seconds 10 [--batched]

Needs only Sample Factory, which requires versions of NumPy and Gymnasium below ours, so `make
bench-peers` installs it in an environment of its own. Writes the result as JSON, in the last line
of its output.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import tempfile
import time
from typing import Any

import ale_py  # noqa: F401 - registers the games
from sample_factory.algo.sampling.simplified_sampling_api import SyncSamplingAPI
from sample_factory.algo.utils.env_info import obtain_env_info_in_a_separate_process
from sample_factory.algo.utils.rl_utils import samples_per_trajectory
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sf_examples.atari.atari_params import atari_override_defaults
from sf_examples.atari.atari_utils import make_atari_env
from sf_examples.train_gym_env import make_gym_env_func

WARMUP_S = 3.0


def configuration(given: argparse.Namespace, directory: str) -> Any:
    """Returns Sample Factory's configuration, with the network of `ours.py`."""
    arguments = {
        "algo": "APPO",
        "experiment": "sampler",
        "train_dir": directory,
        "device": "cpu",
        "num_workers": given.workers,
        "num_envs_per_worker": given.num_envs // given.workers,
        "worker_num_splits": 1 if given.batched else 2,
        "batched_sampling": given.batched,
        "rollout": given.length,
        # The sampler checks these, although nothing is learned.
        "batch_size": given.num_envs * given.length,
        "num_batches_per_epoch": 1,
        "use_rnn": False,
        "recurrence": 1,
        "normalize_input": False,
    }
    if given.task == "CartPole-v1":
        arguments["env"] = given.task
        register_env(given.task, make_gym_env_func)
        layers = ["--encoder_mlp_layers", "64", "64", "--nonlinearity=tanh"]
    else:
        arguments["env"] = "atari_pong"
        register_env("atari_pong", make_atari_env)
        layers = ["--encoder_conv_architecture=convnet_impala", "--encoder_conv_mlp_layers", "256"]
    argv = [f"--{name}={value}" for name, value in arguments.items()] + layers
    parser, _ = parse_sf_args(argv=argv)
    if given.task != "CartPole-v1":
        atari_override_defaults(arguments["env"], parser)
    return parse_full_cfg(parser, argv)


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description="Measures Sample Factory's sampler once.")
    parser.add_argument("--task", choices=("CartPole-v1", "Pong-v5"), required=True)
    parser.add_argument("--batched", action="store_true")
    parser.add_argument("--seconds", type=float, required=True)
    for name in ("--num-envs", "--workers", "--length"):
        parser.add_argument(name, type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        config = configuration(given, directory)
        sampler = SyncSamplingAPI(config, obtain_env_info_in_a_separate_process(config))
        sampler.start()
        sampler.get_trajectories_sync()  # its processes have started
        steps = 0
        began = now = time.perf_counter() + WARMUP_S
        while now < began + given.seconds:
            steps_now = samples_per_trajectory(sampler.get_trajectories_sync())
            now = time.perf_counter()
            if now > began:
                steps += steps_now
        sampler.stop()
    versions = {name: importlib.metadata.version(name) for name in ("sample-factory", "torch")}
    print(json.dumps({"steps": steps, "seconds": now - began, "versions": versions}))


if __name__ == "__main__":
    main()
