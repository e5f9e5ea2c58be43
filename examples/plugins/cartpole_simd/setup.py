"""Compiles the module with the compiler line of envpool_py, without CMake."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

from envpool_py.authoring.building import compile_plugin


class BuildPlugin(build_ext):
    """Builds plug-ins instead of extension modules that are written with Python's headers."""

    def build_extension(self, ext: Extension) -> None:
        """Compiles one module to where setuptools expects it."""
        path = Path(self.get_ext_fullpath(ext.name))
        path.parent.mkdir(parents=True, exist_ok=True)
        compile_plugin(ext.sources, path)


setup(
    ext_modules=[
        Extension(
            "cartpole_simd", ["cartpole_simd.cc"], depends=["cartpole_simd.h", "sine_table.h"]
        )
    ],
    cmdclass={"build_ext": BuildPlugin},
)
