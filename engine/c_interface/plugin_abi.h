// The C interface between envpool_py and its plug-ins, for C and C++. <envpool.h> fills these
// structs from a C++ class (abi_class.h). A plug-in in C or in another language fills them itself
// and needs no library. docs/plugin-interface.md has an example.
//
// A plug-in provides a table of functions for each task. The functions operate on a *group*: all
// environments of one pool. Most of them process several environments per call. The engine
// implements the rules of an episode (limits, autoreset, statistics), and owns the generators, the
// actions and the batches.
//
// Stability: a plug-in built for one version (ENVPOOL_ABI) runs with every release of envpool_py
// that has the same version, without a rebuild.
// - New members are added only at the end of structs that begin with `size`. Each addition
//   increments ENVPOOL_ABI_REVISION. The writer of a struct sets `size`; the reader does not access
//   members beyond it.
// - All other structs, and the values of the constants, never change.
//
// Threads: calls for the same environment never overlap; calls for different environments may run
// concurrently. Functions must not throw C++ exceptions. Memory passed to a function is valid only
// during the call.
#ifndef ENGINE_C_INTERFACE_PLUGIN_ABI_H_
#define ENGINE_C_INTERFACE_PLUGIN_ABI_H_

#include <stddef.h>
#include <stdint.h>

#include "engine/c_interface/abi_data.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENVPOOL_ABI 1
#define ENVPOOL_ABI_REVISION 1
/* Name of the capsule that contains the envpool_core of the installed envpool_py. */
#define ENVPOOL_CORE_CAPSULE "envpool_py._core._plugin_abi"

/* ---- Calls for several environments. */

/* Item k is environment ids[k], or first + k if ids is null. */
typedef struct envpool_items {
  const uint32_t* ids;
  uint32_t first;
  uint32_t count;
} envpool_items;

static inline uint32_t envpool_env(const envpool_items* items, uint32_t k) {
  return items->ids == NULL ? items->first + k : items->ids[k];
}

/* NumPy's PCG64, as bit_generator.state. The functions of abi_random.h draw from it. */
typedef struct envpool_rng {
  uint64_t state_high;
  uint64_t state_low;
  uint64_t inc_high;
  uint64_t inc_low;
  uint32_t has_uint32;
  uint32_t uinteger;
} envpool_rng;

/* Row r begins at base + r * row_bytes. */
typedef struct envpool_column {
  unsigned char* base;
  uint64_t row_bytes;
} envpool_column;

/* One leaf of the actions of all environments; row i belongs to environment i. */
typedef struct envpool_action_leaf {
  envpool_column values;
  uint8_t dtype;
  uint8_t is_discrete;
  uint8_t reserved[6];
  envpool_column float64;    /* with ENVPOOL_KEEPS_FLOAT64: float64 actions */
  const uint8_t* is_float64; /* per environment: 1 if `float64` has its action; may be null */
} envpool_action_leaf;

enum {
  ENVPOOL_TERMINATED = 1,
  ENVPOOL_TRUNCATED = 2,         /* by the environment's own rules */
  ENVPOOL_GAME_CONTINUES = 4,    /* with TERMINATED: the next reset continues the game */
  ENVPOOL_REPORT_TERMINATED = 8, /* reported as terminated; the episode continues */
  ENVPOOL_ZERO_DISCOUNT = 16     /* dm_env's discount is 0 */
};

typedef struct envpool_observe {
  uint64_t size;
  envpool_items items;
  /* Item k writes row rows[k], or first_row + k if rows is null. */
  const uint32_t* rows;
  uint32_t first_row;
  uint32_t reserved;                 /* 0 */
  const envpool_column* observation; /* one per leaf; every element must be written */
  /* To set an info, write its value, and write 1 to the row of its mask (one byte per row). Values
     and masks are 0 before the call, except that with ENVPOOL_SETS_EVERY_INFO the values are not
     cleared. */
  const envpool_column* infos;
  const envpool_column* info_masks;
  const uint8_t* after_reset; /* per item: 1 after a reset, 0 after a step */
  /* infos, info_masks and after_reset are null if the spec has no infos. */
  const envpool_errors* errors;
} envpool_observe;

static inline uint32_t envpool_row(const envpool_observe* call, uint32_t k) {
  return call->rows == NULL ? call->first_row + k : call->rows[k];
}

typedef struct envpool_step {
  uint64_t size;
  envpool_items items;
  envpool_rng* rngs; /* indexed by environment */
  /* Action spaces of one leaf: the action of environment i is at actions + i * action_bytes. */
  const unsigned char* actions;
  uint64_t action_bytes;
  /* With ENVPOOL_STEPS_FLOAT64: if is_float64[i] is not 0, the action of environment i is float64,
     at float64_actions + i * 2 * action_bytes. */
  const unsigned char* float64_actions;
  const uint8_t* is_float64;
  /* With ENVPOOL_STEPS_LEAVES, in place of the members above. */
  const envpool_action_leaf* leaves;
  uint64_t num_leaves;
  /* Results, per item: the reward, and a bitwise OR of ENVPOOL_TERMINATED, ... */
  double* rewards;
  uint8_t* ends;
  double* scores; /* per item: the value that episode statistics sum; may be null */
  const envpool_errors* errors;
} envpool_step;

enum {
  ENVPOOL_REMAKE = 1,  /* construct a new environment first */
  ENVPOOL_SEED = 2,    /* pass the seed first; the engine has seeded the generator with it */
  ENVPOOL_CONTINUE = 4 /* continue the game if it is not over */
};
enum {
  ENVPOOL_WAS_RESET = 0,
  ENVPOOL_CONTINUED = 1,
  ENVPOOL_GAME_ENDED = 2 /* the game was over, so the environment was reset */
};

typedef struct envpool_reset {
  uint64_t size;
  envpool_items items;
  envpool_rng* rngs;
  const void* start;     /* from parse_start; null: the default options */
  const uint8_t* flags;  /* per item */
  const uint64_t* seeds; /* per item; only with ENVPOOL_SEED */
  uint8_t* results;      /* per item: 0 before the call; write only with ENVPOOL_CONTINUE */
  const envpool_errors* errors;
} envpool_reset;

typedef struct envpool_draw {
  uint64_t size;
  envpool_items items;
  /* Item k writes to pictures + k * picture_bytes: rows of RGB, or the doubles of a scene. */
  unsigned char* pictures;
  uint64_t picture_bytes;
  const envpool_errors* errors;
} envpool_draw;

/* ---- Tasks. */

enum {
  ENVPOOL_NEVER_WAITS = 1,      /* step and reset are short and never block; they may run in the
                                   caller's thread, with Python's GIL held */
  ENVPOOL_STEPS_FLOAT64 = 2,    /* envpool_step.float64_actions */
  ENVPOOL_STEPS_LEAVES = 4,     /* envpool_step.leaves */
  ENVPOOL_KEEPS_FLOAT64 = 8,    /* envpool_action_leaf.float64 */
  ENVPOOL_RECEIVES_SEED = 16,   /* ENVPOOL_SEED */
  ENVPOOL_CONTINUES_GAMES = 32, /* ENVPOOL_CONTINUE; with ENVPOOL_RECEIVES_SEED only */
  ENVPOOL_SETS_EVERY_INFO = 64, /* observe sets every info of every row */
  ENVPOOL_HAS_SCORE = 128       /* step writes envpool_step.scores; else scores are rewards */
};

typedef struct envpool_make {
  uint64_t size;
  envpool_options options;
  uint32_t num_envs;
  uint32_t draws; /* 1: draw may be called */
} envpool_make;

typedef struct envpool_task {
  uint64_t size;
  const char* id;
  int64_t max_episode_steps; /* 0: no limit */
  double reward_threshold;   /* with has_reward_threshold */
  const envpool_option* options;
  uint64_t num_options;
  const envpool_option* reset_options;
  uint64_t num_reset_options;
  uint64_t traits;        /* ENVPOOL_NEVER_WAITS, ... */
  uint32_t state_version; /* of saved states; other versions are rejected */
  uint32_t has_reward_threshold;
  const void* data; /* for use by the plug-in */

  /* Passes the spec of an environment with these options to `receiver`. */
  int (*describe)(const struct envpool_task* task, const envpool_options* options,
                  const envpool_spec_receiver* receiver, const envpool_errors* errors);
  /* Creates a group without environments. */
  int (*make)(const struct envpool_task* task, const envpool_make* call, void** group,
              const envpool_errors* errors);
  void (*destroy)(void* group); /* and its environments */
  /* Constructs environments [begin, end), on the thread that will step them most of the time. After
     an error, none of them exists. */
  int (*construct)(void* group, uint32_t begin, uint32_t end, const envpool_errors* errors);
  void (*reset)(void* group, const envpool_reset* call);
  void (*step)(void* group, const envpool_step* call);
  void (*observe)(void* group, const envpool_observe* call);
  /* The members below may be null. */
  int (*parse_start)(const struct envpool_task* task, const envpool_options* reset_options,
                     void** start, const envpool_errors* errors);
  void (*destroy_start)(void* start);
  void (*draw)(void* group, const envpool_draw* call);
  /* Saves the state that step, observe and draw use, except the options and the generator. */
  int (*save)(void* group, uint32_t env, const envpool_bytes_receiver* receiver,
              const envpool_errors* errors);
  /* flags: 0 or ENVPOOL_REMAKE. Bytes that remain after the state are an error. */
  int (*load)(void* group, uint32_t env, const void* bytes, uint64_t count, uint32_t flags,
              const envpool_errors* errors);
  /* Revision 1. Gives an environment the options with which `other`, another group of this task,
     was made: destroys the environment, if it exists. The core then calls construct, or reset or
     load with ENVPOOL_REMAKE. It destroys `other` after the environment, or after the next adopt
     for it. Null: the environments of a pool have the same options. */
  void (*adopt)(void* group, uint32_t env, void* other);
  /* Revision 1. Passes the attributes of environments with the options of this group to `receiver`.
     Names, types and bounds are the same for all options. Null: they have none. */
  int (*attributes)(void* group, const envpool_attributes_receiver* receiver,
                    const envpool_errors* errors);
  /* Revision 1. Changes attribute `index` of an environment, which keeps it until adopt, and
     through ENVPOOL_REMAKE. The environment may not exist, after adopt or an error. Required if
     `attributes` is not null. */
  int (*set_attribute)(void* group, uint32_t env, uint64_t index, const double* value,
                       uint64_t count, const envpool_errors* errors);
} envpool_task;

/* ---- The module. */

typedef struct envpool_plugin {
  uint64_t size;
  uint32_t abi;        /* ENVPOOL_ABI */
  uint32_t revision;   /* ENVPOOL_ABI_REVISION */
  const char* name;    /* of the module */
  const char* release; /* the release of envpool_py it was built with; for messages */
  const envpool_task* const* tasks;
  uint64_t num_tasks;
  /* Null, or an engine::Plugin (tasks/plugin.h) with all tasks in the C++ interface, which is
     faster, but works only with the release that it was built for. If its stamp equals the core's,
     the core uses it in place of `tasks`. */
  const void* exact;
  uint64_t needs_exact; /* 1: `exact` has tasks that `tasks` lacks */
} envpool_plugin;

typedef struct envpool_core {
  uint64_t size;
  uint32_t abi;
  uint32_t revision;
  const char* release;
  /* Adds all tasks or, after an error, none. Returns 0, or -1 with a Python exception set. The
     tasks must stay valid until the process ends. Call it with Python's GIL held. */
  int (*add)(const envpool_plugin* plugin);
  /* Sets a PluginError that names the plug-in and `why` as Python exception; returns -1. */
  int (*refuse)(const envpool_plugin* plugin, const char* why);
  /* Returns a new reference to an empty module (PyObject*), or null with an exception set. */
  void* (*new_module)(const char* name);
} envpool_core;

/* From Python's stable ABI. Declared here, so that a plug-in does not need Python's headers. */
#ifndef Py_PYTHON_H
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
void* PyCapsule_Import(const char* name, int no_block);
#endif

/* Implements PyInit: adds the tasks and returns the module, or null with an exception set. */
static inline void* envpool_init(const envpool_plugin* plugin) {
  const envpool_core* const core = (const envpool_core*)PyCapsule_Import(ENVPOOL_CORE_CAPSULE, 0);
  if (core == NULL || core->add(plugin) != 0) return NULL;
  return core->new_module(plugin->name);
}

#ifdef __cplusplus
}
#endif

#endif /* ENGINE_C_INTERFACE_PLUGIN_ABI_H_ */
