"""ale-py with the interface of `GameRunner`. Only this module imports ale-py."""

from __future__ import annotations

import ale_py
import numpy as np
import numpy.typing as npt
from ale_py import ALEInterface, ALEState

from envpool_py.tasks.families.atari import roms

VERSION: str = ale_py.__version__

ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


class Reference:
    """One game, run by ale-py."""

    def __init__(
        self,
        game: str,
        *,
        seed: int = 0,
        frame_skip: int = 1,
        repeat_action_probability: float = 0.25,
        max_num_frames_per_episode: int = 0,
        truncate_on_loss_of_life: bool = False,
    ) -> None:
        self._ale = ale = ALEInterface()
        ale.setInt("random_seed", seed)
        ale.setInt("frame_skip", frame_skip)
        ale.setFloat("repeat_action_probability", repeat_action_probability)
        ale.setInt("max_num_frames_per_episode", max_num_frames_per_episode)
        ale.setBool("truncate_on_loss_of_life", truncate_on_loss_of_life)
        ale.loadROM(roms.rom_path(game))
        self._screen = np.empty(ale.getScreenDims(), np.uint8)
        self._ram = np.empty(ale.getRAMSize(), np.uint8)
        state = ale.cloneState()
        self._mode = state.getCurrentMode()
        self._difficulty = state.getDifficulty()

    def reset(self) -> None:
        """Begins an episode."""
        self._ale.reset_game()

    def act(self, action: int, strength: float = 1.0) -> int:
        """Takes the action for `frame_skip` frames; returns the reward."""
        return int(self._ale.act(action, strength))

    @property
    def minimal_actions(self) -> list[int]:
        """The actions that have an effect in this game."""
        return [int(action.value) for action in self._ale.getMinimalActionSet()]

    @property
    def legal_actions(self) -> list[int]:
        """All actions that the game accepts."""
        return [int(action.value) for action in self._ale.getLegalActionSet()]

    @property
    def modes(self) -> list[int]:
        """The valid values of `mode`."""
        return [int(mode) for mode in self._ale.getAvailableModes()]

    @property
    def difficulties(self) -> list[int]:
        """The valid values of `difficulty`."""
        return [int(difficulty) for difficulty in self._ale.getAvailableDifficulties()]

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self._ale.game_over(with_truncation=False))

    @property
    def truncated(self) -> bool:
        """Whether the episode was cut short."""
        return bool(self._ale.game_truncated())

    @property
    def lives(self) -> int:
        """The number of lives left."""
        return int(self._ale.lives())

    @property
    def frame_number(self) -> int:
        """Frames since the ROM was loaded, without those of resets."""
        return int(self._ale.getFrameNumber())

    @property
    def episode_frame_number(self) -> int:
        """Frames since the latest reset."""
        return int(self._ale.getEpisodeFrameNumber())

    @property
    def mode(self) -> int:
        """The variant that was set last; it applies from the next reset on."""
        return self._mode

    @mode.setter
    def mode(self, mode: int) -> None:
        self._ale.setMode(mode)
        self._mode = mode

    @property
    def difficulty(self) -> int:
        """The difficulty that was set last; it applies from the next frame on."""
        return self._difficulty

    @difficulty.setter
    def difficulty(self, difficulty: int) -> None:
        self._ale.setDifficulty(difficulty)
        self._difficulty = difficulty

    def screen(self) -> npt.NDArray[np.uint8]:
        """Returns the picture, (rows, 160), in a buffer that the next call overwrites."""
        self._ale.getScreen(self._screen)
        return self._screen

    def screen_rgb(self) -> npt.NDArray[np.uint8]:
        """Returns the picture in colors, (rows, 160, 3)."""
        return np.asarray(self._ale.getScreenRGB())

    def ram(self) -> npt.NDArray[np.uint8]:
        """Returns the memory, (128,), in a buffer that the next call overwrites."""
        self._ale.getRAM(self._ram)
        return self._ram

    def set_ram(self, address: int, value: int) -> None:
        """Writes a byte to an address of the memory, $80 to $FF."""
        self._ale.setRAM(address - 0x80, value)

    def snapshot(self, *, with_random: bool) -> ALEState:
        """Returns the state, with the generator of sticky actions or without it."""
        return self._ale.cloneSystemState() if with_random else self._ale.cloneState()

    def restore(self, state: ALEState) -> None:
        """Restores the parts of a snapshot that restoreState() restores."""
        self._ale.restoreSystemState(state)
        self._mode = state.getCurrentMode()
        self._difficulty = state.getDifficulty()
