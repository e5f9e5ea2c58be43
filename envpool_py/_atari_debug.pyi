"""Atari games on this project's emulator, one at a time; for tools, tests and benchmarks.

Built with ENVPOOL_TESTS or ENVPOOL_BENCHMARKS only. Errors are those of `envpool_py.errors`.
"""

from collections.abc import Sequence
from typing import TypedDict, final, overload

import numpy as np
import numpy.typing as npt

class ProcessorState(TypedDict):
    """The processor's registers; cycles and scanline are counted from the start of the frame."""

    pc: int
    a: int
    x: int
    y: int
    sp: int
    status: int
    cycles: int
    bank: int
    scanline: int

def opcodes() -> list[tuple[str, int, int, int]]:
    """Returns, per opcode: mnemonic, addressing mode, length in bytes, cycles.

    Addressing modes: 0 implied, 1 accumulator, 2 immediate, 3 relative, 4 zero page, 5 zero page,X,
    6 zero page,Y, 7 absolute, 8 absolute,X, 9 absolute,Y, 10 indirect, 11 (indirect,X),
    12 (indirect),Y.
    """

@final
class Rom:
    """A game's ROM in its cartridge; shared by the runners that are made with it."""

    def __init__(self, game: str, image: bytes) -> None: ...
    @property
    def game(self) -> str: ...
    @property
    def lines(self) -> int:
        """Rows of the picture."""

    @property
    def format(self) -> str:
        """The television standard that the program draws for, "NTSC" or "PAL"."""

@final
class Snapshot:
    """The state of a `GameRunner`, without its picture."""

@final
class GameRunner:
    """Runs one game by ale-py's rules, frame by frame."""

    def __init__(
        self,
        rom: Rom,
        *,
        seed: int = 0,
        frame_skip: int = 1,
        repeat_action_probability: float = 0.25,
        max_num_frames_per_episode: int = 0,
        truncate_on_loss_of_life: bool = False,
    ) -> None: ...
    def reset(self) -> None: ...
    def act(self, action: int, strength: float = 1.0) -> int:
        """Takes an action in [0, 17] for `frame_skip` frames; returns the reward."""

    def run(self, actions: Sequence[int]) -> int:
        """Takes the actions, resetting after terminal states; returns the sum of the rewards."""

    @property
    def terminal(self) -> bool: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def lives(self) -> int: ...
    @property
    def frame_number(self) -> int: ...
    @property
    def episode_frame_number(self) -> int: ...
    @property
    def mode(self) -> int: ...
    @mode.setter
    def mode(self, mode: int) -> None: ...
    @property
    def difficulty(self) -> int: ...
    @difficulty.setter
    def difficulty(self, difficulty: int) -> None: ...
    def screen(self) -> npt.NDArray[np.uint8]:
        """Returns a copy of the picture: color numbers, uint8, (rows, 160)."""

    def ram(self) -> npt.NDArray[np.uint8]:
        """Returns a copy of the memory: uint8, (128,)."""

    def processor(self) -> ProcessorState: ...
    def step_instruction(self) -> bool:
        """Runs one instruction; returns whether a frame ends with it."""

    def peek(self, address: int) -> int:
        """Returns the byte that the processor reads at an address, without side effects."""

    def snapshot(self) -> Snapshot: ...
    def restore(self, snapshot: Snapshot) -> None:
        """Restores a snapshot of the same game; the picture is valid after the next frame."""

    def restore_like_ale(self, snapshot: Snapshot, with_random: bool) -> None:
        """Restores a snapshot, except for the parts of the state that ale-py's restoreState keeps.

        Without `with_random` this matches ale-py restoring a state of cloneState(), with it a state
        of cloneSystemState().
        """

@final
class Console:
    """A console that runs any program, without a game and its rules."""

    @overload
    def __init__(self, rom: Rom) -> None:
        """Makes a console that runs from power-on; it shares `rom` with other users."""

    @overload
    def __init__(self, mapper: str, image: bytes, *, seed: int = 0, lines: int = 210) -> None: ...
    def reset(self) -> None: ...
    def run_frame(self) -> None: ...
    def step_instruction(self) -> bool: ...
    @property
    def jammed(self) -> bool: ...
    def processor(self) -> ProcessorState: ...
    def set_processor(self, *, pc: int, a: int, x: int, y: int, sp: int, status: int) -> None: ...
    def peek(self, address: int) -> int: ...
    def set_ram(self, address: int, value: int) -> None: ...
    def ram(self) -> npt.NDArray[np.uint8]: ...
    def screen(self) -> npt.NDArray[np.uint8]: ...

@final
class PixelPath:
    """Makes preprocessed frames from the console's pictures."""

    def __init__(
        self,
        *,
        lines: int = 210,
        television: str = "NTSC",
        grey: bool = True,
        height: int = 84,
        width: int = 84,
        interpolation: str = "area",
        order: str = "interleaved",
        vectors: str = "avx2",
    ) -> None: ...
    def run(
        self, newest: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8] | None = None
    ) -> npt.NDArray[np.uint8]:
        """Returns the frame of one picture, or of the maximum of two.

        Grey frames are (height, width), others (height, width, 3) or (3, height, width).
        """

def to_rgb(screen: npt.NDArray[np.uint8], television: str = "NTSC") -> npt.NDArray[np.uint8]:
    """Returns a picture of color numbers in color, (rows, 160, 3)."""

def to_grey(screen: npt.NDArray[np.uint8], television: str = "NTSC") -> npt.NDArray[np.uint8]:
    """Returns a picture of color numbers in grey, (rows, 160)."""
