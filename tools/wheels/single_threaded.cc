// glibc 2.32: whether the process has only one thread; libstdc++ then counts references without
// atomic instructions. 0 is always right. Plug-ins need it, too, if they are built on an older
// system: code of libenvpool_py.a refers to it (old_libraries.py).
extern "C" {
char __libc_single_threaded = 0;
}
