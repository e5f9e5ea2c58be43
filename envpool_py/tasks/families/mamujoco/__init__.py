"""The scenarios of MaMuJoCo, in which several agents move one robot.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `family`:
registers the scenarios; `models`: the models of robots that consist of segments.
`import envpool_py` imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
