"""The hash of engine/base/word_hash.h, for tests that repair the checks of changed bytes."""

from __future__ import annotations

_WORD = (1 << 64) - 1
_LANES_FROM = 64  # bytes


def mix_word(value: int, word: int) -> int:
    """Returns the hash with a word added."""
    value = ((value ^ word) * 0x9E3779B97F4A7C15) & _WORD
    return value ^ value >> 29


def mix_bytes(value: int, data: bytes) -> int:
    """Returns the hash with bytes added."""
    begin = 0
    if len(data) >= _LANES_FROM:
        lanes = [1, 2, 3, 4]
        while begin + 32 <= len(data):
            for i in range(4):
                word = data[begin + 8 * i : begin + 8 * i + 8]
                lanes[i] = mix_word(lanes[i], int.from_bytes(word, "little"))
            begin += 32
        for lane in lanes:
            value = mix_word(value, lane)
    for at in range(begin, len(data), 8):
        value = mix_word(value, int.from_bytes(data[at : at + 8], "little"))
    return value
