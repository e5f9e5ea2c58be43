"""Programs import this to register the tasks; here they are always registered."""

__all__: list[str] = []
