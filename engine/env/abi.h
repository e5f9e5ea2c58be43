// The C interface between envpool_py and its plug-ins, for C and C++. <envpool.h> makes it from a
// C++ class (abi_class.h); a plug-in in C, or in another language, fills these structs itself and
// needs no library. docs/plugin-interface.md has an example.
//
// A plug-in gives a table of functions for each task. They work on a *group*, all environments of
// one pool, and most of them on several environments per call. The engine keeps the rules of
// an episode (limits, autoreset, statistics), the generators, the actions and the batches.
//
// Stability: plug-ins of one version (ENVPOOL_ABI) run with every release of envpool_py that has
// this version, without being built again.
// - Structs that begin with `size` get new members at their end; each raises ENVPOOL_ABI_REVISION.
//   The writer sets `size`, and the reader uses no member beyond it.
// - All other structs, and the values of the constants, never change.
//
// Threads: calls for one environment never overlap; calls for different environments may. Functions
// never throw C++ exceptions. Memory that a function gets is valid during the call only.
#ifndef ENGINE_ENV_ABI_H_
#define ENGINE_ENV_ABI_H_

#include <stddef.h>
#include <stdint.h>

#include "engine/env/abi_data.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENVPOOL_ABI 1
#define ENVPOOL_ABI_REVISION 0
/* The capsule with the envpool_core of the installed envpool_py. */
#define ENVPOOL_CORE_CAPSULE "envpool_py._core._plugin_abi"

/* ---- Calls for several environments. */

/* Item k is environment ids[k], or first + k where ids is null. */
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

/* A leaf of the actions of all environments; the rows are environments. */
typedef struct envpool_action_leaf {
  envpool_column values;
  uint8_t dtype;
  uint8_t is_discrete;
  uint8_t reserved[6];
  envpool_column float64;    /* with ENVPOOL_KEEPS_FLOAT64: the same in float64 */
  const uint8_t* is_float64; /* by environment: whether that form was given; null: never */
} envpool_action_leaf;

enum {
  ENVPOOL_TERMINATED = 1,
  ENVPOOL_TRUNCATED = 2,         /* by the environment's own rules */
  ENVPOOL_GAME_CONTINUES = 4,    /* with TERMINATED: the next reset continues the game */
  ENVPOOL_REPORT_TERMINATED = 8, /* a terminal signal without a reset */
  ENVPOOL_ZERO_DISCOUNT = 16     /* dm_env's discount is 0 */
};

typedef struct envpool_observe {
  uint64_t size;
  envpool_items items;
  /* Item k writes row rows[k], or first_row + k where rows is null. */
  const uint32_t* rows;
  uint32_t first_row;
  uint32_t reserved;                 /* 0 */
  const envpool_column* observation; /* the leaves; every element has to be written */
  /* An info that is set: its value, and 1 in the row of its mask (one byte per row). They are 0
     before the call, except that values keep their content with ENVPOOL_SETS_EVERY_INFO. */
  const envpool_column* infos;
  const envpool_column* info_masks;
  const uint8_t* after_reset; /* of each item */
  /* infos, info_masks and after_reset are null if the spec has no infos. */
  const envpool_errors* errors;
} envpool_observe;

static inline uint32_t envpool_row(const envpool_observe* call, uint32_t k) {
  return call->rows == NULL ? call->first_row + k : call->rows[k];
}

typedef struct envpool_step {
  uint64_t size;
  envpool_items items;
  envpool_rng* rngs; /* of environment i: rngs[i] */
  /* Actions of one leaf: environment i has actions + i * action_bytes. */
  const unsigned char* actions;
  uint64_t action_bytes;
  /* With ENVPOOL_STEPS_FLOAT64: for environments i with is_float64[i], the action is given in
     float64, at float64_actions + i * 2 * action_bytes. */
  const unsigned char* float64_actions;
  const uint8_t* is_float64;
  /* With ENVPOOL_STEPS_LEAVES, in place of the members above. */
  const envpool_action_leaf* leaves;
  uint64_t num_leaves;
  /* Results: for each item, a reward and the bits ENVPOOL_TERMINATED, ... */
  double* rewards;
  uint8_t* ends;
  double* scores; /* null, or the number that statistics add up, for each item */
  const envpool_errors* errors;
} envpool_step;

enum {
  ENVPOOL_REMAKE = 1,  /* make the environment anew first */
  ENVPOOL_SEED = 2,    /* it receives a seed first; its generator was seeded with it */
  ENVPOOL_CONTINUE = 4 /* continue the game if it is not over */
};
enum {
  ENVPOOL_WAS_RESET = 0,
  ENVPOOL_CONTINUED = 1,
  ENVPOOL_GAME_ENDED = 2 /* it could not be continued: a reset follows */
};

typedef struct envpool_reset {
  uint64_t size;
  envpool_items items;
  envpool_rng* rngs;
  const void* start;     /* from parse_start; null: the default options */
  const uint8_t* flags;  /* of each item */
  const uint64_t* seeds; /* of each item with ENVPOOL_SEED */
  uint8_t* results;      /* of each item: 0 before the call; set with ENVPOOL_CONTINUE only */
  const envpool_errors* errors;
} envpool_reset;

typedef struct envpool_draw {
  uint64_t size;
  envpool_items items;
  /* Item k: pictures + k * picture_bytes; RGB row by row, or the doubles of a scene. */
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
  ENVPOOL_HAS_SCORE = 128       /* envpool_step.scores are written; else they are the rewards */
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
  uint32_t state_version; /* of saved states; others are refused */
  uint32_t has_reward_threshold;
  const void* data; /* for the plug-in */

  /* Gives the spec of an environment with these options. */
  int (*describe)(const struct envpool_task* task, const envpool_options* options,
                  const envpool_spec_receiver* receiver, const envpool_errors* errors);
  /* Makes a group, without environments. */
  int (*make)(const struct envpool_task* task, const envpool_make* call, void** group,
              const envpool_errors* errors);
  void (*destroy)(void* group); /* with its environments */
  /* Makes environments [begin, end), on the thread that will mostly step them; after an error none
     of them. */
  int (*construct)(void* group, uint32_t begin, uint32_t end, const envpool_errors* errors);
  void (*reset)(void* group, const envpool_reset* call);
  void (*step)(void* group, const envpool_step* call);
  void (*observe)(void* group, const envpool_observe* call);
  /* The rest may be null. */
  int (*parse_start)(const struct envpool_task* task, const envpool_options* reset_options,
                     void** start, const envpool_errors* errors);
  void (*destroy_start)(void* start);
  void (*draw)(void* group, const envpool_draw* call);
  /* What step, observe and draw depend on, except options and generator. */
  int (*save)(void* group, uint32_t env, const envpool_bytes_receiver* receiver,
              const envpool_errors* errors);
  /* flags: 0 or ENVPOOL_REMAKE. All bytes have to be read. */
  int (*load)(void* group, uint32_t env, const void* bytes, uint64_t count, uint32_t flags,
              const envpool_errors* errors);
} envpool_task;

/* ---- The module. */

typedef struct envpool_plugin {
  uint64_t size;
  uint32_t abi;        /* ENVPOOL_ABI */
  uint32_t revision;   /* ENVPOOL_ABI_REVISION */
  const char* name;    /* of the module */
  const char* release; /* of envpool_py, whose headers it was built with; for messages */
  const envpool_task* const* tasks;
  uint64_t num_tasks;
  /* Null, or the engine::Plugin (plugin.h) that adds all tasks through the C++ interface, which is
     faster and belongs to one release. It is used if its stamp is that of the core. */
  const void* exact;
  uint64_t needs_exact; /* 1: not all tasks are in `tasks` */
} envpool_plugin;

typedef struct envpool_core {
  uint64_t size;
  uint32_t abi;
  uint32_t revision;
  const char* release;
  /* With Python's GIL held. Adds all tasks or, after an error, none. Returns 0, or -1 with a Python
     exception set. The tasks must exist for as long as the process. */
  int (*add)(const envpool_plugin* plugin);
  /* Sets PluginError with the name of the plug-in and `why`; returns -1. */
  int (*refuse)(const envpool_plugin* plugin, const char* why);
  /* A new reference to an empty module (PyObject*); null with an exception set. */
  void* (*new_module)(const char* name);
} envpool_core;

/* A function of Python's stable ABI, declared here because a plug-in needs no headers of Python. */
#ifndef Py_PYTHON_H
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
void* PyCapsule_Import(const char* name, int no_block);
#endif

/* The body of a module's PyInit function. */
static inline void* envpool_init(const envpool_plugin* plugin) {
  const envpool_core* const core = (const envpool_core*)PyCapsule_Import(ENVPOOL_CORE_CAPSULE, 0);
  if (core == NULL || core->add(plugin) != 0) return NULL;
  return core->new_module(plugin->name);
}

#ifdef __cplusplus
}
#endif

#endif /* ENGINE_ENV_ABI_H_ */
