"""Programs for developers of this package. They are run from the repository and not installed."""
