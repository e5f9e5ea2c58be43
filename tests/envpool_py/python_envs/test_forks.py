"""Programs that fork: what the child has of the pools, locks and imports of its parent."""

from __future__ import annotations

import pytest

from ..lifecycle import RunScript, needs_proc

pytestmark = needs_proc


@pytest.mark.unsanitized
@pytest.mark.parametrize("workers", [0, 2])
def test_a_forked_child_does_not_close_environments(workers: int, run_forked: RunScript) -> None:
    output = run_forked(
        f"""
        import os, sys, envpool_py, gymnasium
        class Closing(gymnasium.Wrapper):
            def close(self):
                print("closed", os.getpid() == parent, flush=True)
        parent = os.getpid()
        make = lambda: Closing(gymnasium.make("CartPole-v1"))
        pools = [
            envpool_py.make_python(make, 2, num_workers={workers}, workers="threads")
            for _ in range(3)
        ]
        child = os.fork()
        if child == 0:
            pools[0].close()
            del pools[1]
            sys.exit(0)  # pools[1] is open
        assert os.waitpid(child, 0)[1] == 0
        for pool in pools:
            pool.close()
        """
    )
    assert output == "closed True\n" * 6


@pytest.mark.unsanitized
def test_a_fork_while_another_thread_starts_a_worker(run_forked: RunScript) -> None:
    """The child has a lock and a server of its own."""
    output = run_forked(
        """
        import os, envpool_py, gymnasium
        from envpool_py.python_envs import launching
        from envpool_py.tasks import registry
        from envpool_py.tasks.families.mujoco import library
        make = lambda: gymnasium.make("CartPole-v1")
        with envpool_py.make_python(make, 2, num_workers=1) as pool:
            server = launching._server
            with launching._server_lock, registry._adding, library._opening:
                child = os.fork()
            if child == 0:
                assert not registry._adding.locked() and not library._opening.locked()
                try:
                    os.fstat(server.connection.fileno())
                except OSError:
                    pass
                else:
                    os._exit(1)
                with envpool_py.make_python(make, 2, num_workers=1) as own:
                    own.reset()
                launching._server.end()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            pool.reset()
            print(launching._server is server)
        """
    )
    assert output == "True\n"


@pytest.mark.unsanitized
def test_a_fork_while_another_thread_loads_a_family(run_forked: RunScript) -> None:
    """The fork waits for the import, whose lock the child would never get."""
    output = run_forked(
        """
        import importlib.abc, importlib.machinery, os, signal, sys, threading
        from envpool_py.tasks import importing
        running, forking = threading.Event(), threading.Event()
        class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
            def find_spec(self, name, path, target=None):
                if name == "slow":
                    return importlib.machinery.ModuleSpec(name, self)
            def create_module(self, spec):
                return None
            def exec_module(self, module):
                running.set()
                forking.wait()
        wait_for = importing._ended.wait_for
        def announced(*arguments):
            forking.set()
            return wait_for(*arguments)
        importing._ended.wait_for = announced
        sys.meta_path.insert(0, Slow())
        thread = threading.Thread(target=importing.import_module, args=("slow",))
        thread.start()
        running.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            import slow
            os._exit(0)
        forking.set()  # otherwise the thread would wait for good
        print(os.waitpid(child, 0)[1])
        thread.join()
        """
    )
    assert output == "0\n"
