// Attributes with which Clang checks that fields are used only while their lock is held:
// `make check-threads`. Other compilers ignore them.
#ifndef ENGINE_BASE_THREAD_ANNOTATIONS_H_
#define ENGINE_BASE_THREAD_ANNOTATIONS_H_

#if defined(__clang__)
#define ENGINE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define ENGINE_THREAD_ATTRIBUTE(attribute)
#endif

// Classes: a lock, and an object that holds one until it is destroyed.
#define ENGINE_LOCK_TYPE ENGINE_THREAD_ATTRIBUTE(capability("lock"))
#define ENGINE_SCOPED_LOCK_TYPE ENGINE_THREAD_ATTRIBUTE(scoped_lockable)
// Fields, and what pointers point to.
#define ENGINE_GUARDED_BY(lock) ENGINE_THREAD_ATTRIBUTE(guarded_by(lock))
#define ENGINE_PT_GUARDED_BY(lock) ENGINE_THREAD_ATTRIBUTE(pt_guarded_by(lock))
// Functions.
#define ENGINE_REQUIRES(...) ENGINE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ENGINE_ACQUIRES(...) ENGINE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ENGINE_TRY_ACQUIRES(...) ENGINE_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define ENGINE_RELEASES(...) ENGINE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
// Not checked, because it depends on data whether the lock is held.
#define ENGINE_NOT_CHECKED ENGINE_THREAD_ATTRIBUTE(no_thread_safety_analysis)
// The caller holds the lock, which Clang cannot see: for lambdas.
#define ENGINE_ASSERTS(...) ENGINE_THREAD_ATTRIBUTE(assert_capability(__VA_ARGS__))

#endif  // ENGINE_BASE_THREAD_ANNOTATIONS_H_
