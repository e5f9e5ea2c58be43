"""Rates of whole samplers: environments, a policy network, and rollouts of their steps."""
