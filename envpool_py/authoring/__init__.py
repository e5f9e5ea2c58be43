"""For authors of environments: compiling plug-ins, starting a project, checking environments.

`building` and `paths` are for build scripts, `scaffold` is `envpool-py new`, and `conformance` has
the checks of `envpool-py check` and the pytest plug-in. Imported by programs and by authors' tests.
"""

__all__: list[str] = []
