"""The program of a worker process: its arguments, the ids that it registers, its main module.

A worker runs another main module than the program. When a name is looked up there (for an entry
point "__main__:Walk", or a pickle of an object of the program's class), the program is loaded as
`multiprocessing` loads it: with the name `__mp_main__`, so that the lines below
`if __name__ == "__main__"` do not run. Without such a condition, it runs up to the line that makes
a pool of environments in Python.
"""

from __future__ import annotations

import contextlib
import importlib.util
import pickle
import sys
import threading
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import gymnasium

__all__ = ["MainModule", "Program", "stop_loading"]


@dataclass(frozen=True)
class Program:
    """What a worker knows of the program.

    Attributes:
        module: name of the main module, if it was started by `python -m`.
        path: path of the main module; None if the program is interactive.
        arguments: `sys.argv`.
        specs: pickled specs, by id, that the worker adds to Gymnasium's registry if it lacks them.
    """

    module: str | None
    path: str | None
    arguments: list[str]
    specs: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of_this_process(cls, specs: Mapping[str, bytes]) -> Program:
        """Returns the program that this process runs, or of which it is a worker."""
        if MainModule.program is not None:
            return replace(MainModule.program, specs=specs)
        main = sys.modules["__main__"]
        spec = getattr(main, "__spec__", None)
        path = getattr(main, "__file__", None)
        return cls(None if spec is None else spec.name, path, list(sys.argv), specs)

    def register(self) -> None:
        """Adds the specs to Gymnasium's registry."""
        for task_id, spec in self.specs.items():
            if task_id not in gymnasium.registry:
                with contextlib.suppress(Exception):  # a function may need what this process lacks
                    gymnasium.registry[task_id] = pickle.loads(spec)

    def code(self) -> types.CodeType | None:
        """Returns the code of the main module; None if it cannot be loaded."""
        if self.module is not None:
            # As in `multiprocessing`: these have no condition, because nothing else imports them.
            if self.module == "__main__" or self.module.endswith(".__main__"):
                return None
            spec = importlib.util.find_spec(self.module)
            loader: Any = None if spec is None else spec.loader
            code: types.CodeType | None = loader.get_code(self.module) if loader else None
            return code
        if self.path is None or not Path(self.path).is_file():
            return None
        return compile(Path(self.path).read_bytes(), self.path, "exec", dont_inherit=True)


class _PoolIsMade(BaseException):
    """Ends the loading of a program."""


_loading_thread: int | None = None  # the thread that loads the program


def stop_loading() -> None:
    """Called when a pool is made; does not return if the program that makes it is being loaded."""
    if _loading_thread == threading.get_ident():
        raise _PoolIsMade


class MainModule(types.ModuleType):
    """The main module of a worker until one of its names is looked up; then the program's.

    Attributes:
        absent_for: identifier of a thread whose lookups do not load the program.
        program: the program of which this process is a worker.
    """

    absent_for: ClassVar[int | None] = None
    program: ClassVar[Program | None] = None

    def __init__(self, program: Program) -> None:
        super().__init__("__main__")
        self._program = program
        self._lock = threading.RLock()
        self._loaded: types.ModuleType | None = None
        _set_origin(self, program)
        self.__spec__ = _not_to_be_loaded()

    def install(self) -> None:
        """Makes this the main module of the process."""
        MainModule.program = self._program
        sys.modules["__main__"] = sys.modules["__mp_main__"] = self
        sys.argv[:] = self._program.arguments

    def __getattr__(self, name: str) -> Any:
        # Those who look for names such as "__path__" do not need the program.
        if name.startswith("__") or MainModule.absent_for == threading.get_ident():
            raise AttributeError(f"module '__main__' has no attribute {name!r}")
        with self._lock:
            if self._loaded is None:
                self._load(name)
        return getattr(self._loaded, name)

    def _load(self, name: str) -> None:
        global _loading_thread
        code = self._program.code()
        if code is None:
            raise AttributeError(
                f"module '__main__' has no attribute {name!r} in worker processes, which cannot "
                "load this program, because it is interactive or the main module of a package: "
                "use the object in place of its name"
            )
        module = types.ModuleType("__mp_main__")
        _set_origin(module, self._program)
        for task_id in self._program.specs:
            gymnasium.registry.pop(task_id, None)  # registering it again would be a warning
        sys.modules["__main__"] = sys.modules["__mp_main__"] = self._loaded = module
        _loading_thread = threading.get_ident()
        try:
            with contextlib.suppress(SystemExit):
                exec(code, module.__dict__)
        except _PoolIsMade:
            module.__dict__["__getattr__"] = _refuse
            module.__spec__ = _not_to_be_loaded()
        except BaseException:
            sys.modules["__main__"] = sys.modules["__mp_main__"] = self
            self._loaded = None
            raise
        finally:
            _loading_thread = None
            self._program.register()


def _set_origin(module: types.ModuleType, program: Program) -> None:
    if program.path is not None:
        module.__file__ = program.path
    if program.module is not None:
        module.__spec__ = ModuleSpec(program.module, None)
        module.__package__ = program.module.rpartition(".")[0]


def _not_to_be_loaded() -> ModuleSpec:
    """Returns a spec with which `multiprocessing` does not load the program in its children.

    It would not stop where the program makes a pool, whose workers would do the same again.
    """
    return ModuleSpec("__main__", None)


def _refuse(name: str) -> NoReturn:
    raise AttributeError(
        f"module '__main__' has no attribute {name!r} in worker processes, which load the program "
        'up to its first pool: make the pool below `if __name__ == "__main__"`'
    )
