"""Programs import this to register the tasks; here they are always registered."""
