"""The package on machines with several NUMA nodes, which QEMU simulates: see `__main__`."""
