"""Atari games: where their ROMs come from (`roms`), and tools for those who add games (`tools`).

Not imported by `import envpool_py`.
"""
