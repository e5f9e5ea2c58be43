"""Programs import this so that the tasks are registered; here they always are."""
