/* A plug-in in plain C, compiled without a library, with everything that the interface has for a
   class without Python's help: options of the task and of a reset, an info, a picture, states,
   errors. With size 9 the state of environment 2 cannot be saved.

   A counter walks by -1, 0 or 1 and drifts at random; the episode ends at `size` or -size. With
   size 7 there is an action 3, which fails. */
#include <envpool_abi.h>
#include <stdlib.h>
#include <string.h>

typedef struct counter {
  int64_t place;
  int64_t visits; /* steps that ended at 0 */
} counter;

typedef struct group {
  int64_t size;
  counter* counters;
} group;

static const envpool_option kOptions[] = {
    {.name = ENVPOOL_LITERAL("size"),
     .doc = ENVPOOL_LITERAL("distance at which an episode ends"),
     .default_value = {.type = ENVPOOL_VALUE_INT, .integer = 5},
     .flags = ENVPOOL_OPTION_HAS_LOW | ENVPOOL_OPTION_HAS_HIGH,
     .low = 1.0,
     .high = 100.0},
};
static const envpool_option kResetOptions[] = {
    {.name = ENVPOOL_LITERAL("place"), .default_value = {.type = ENVPOOL_VALUE_INT, .integer = 0}},
};

static int describe(const envpool_task* task, const envpool_options* options,
                    const envpool_spec_receiver* receiver, const envpool_errors* errors) {
  const int64_t size = options->values[0].value.integer;
  const int64_t low = -size - 1;
  const int64_t high = size + 1;
  const envpool_info infos[] = {{.name = ENVPOOL_LITERAL("visits"), .dtype = ENVPOOL_INT64}};
  envpool_spec spec = {.size = sizeof(spec), .frame_skip = 1};
  (void)task;
  (void)errors;
  spec.observation = (envpool_space){.kind = ENVPOOL_BOX,
                                     .dtype = ENVPOOL_INT64,
                                     .low = &low,
                                     .num_low = 1,
                                     .high = &high,
                                     .num_high = 1};
  spec.action = (envpool_space){.kind = ENVPOOL_DISCRETE, .n = size == 7 ? 4 : 3};
  spec.infos = infos;
  spec.num_infos = 1;
  spec.has_picture = 1;
  spec.picture_height = 1;
  spec.picture_width = 2 * size + 3;
  spec.picture_fps = 10;
  receiver->take(receiver->context, &spec);
  return 0;
}

static int make(const envpool_task* task, const envpool_make* call, void** made,
                const envpool_errors* errors) {
  const int64_t size = call->options.values[0].value.integer;
  group* envs;
  counter* counters;
  (void)task;
  if (size == 13) return envpool_fail(errors, 0, ENVPOOL_ERROR_OPTION, "size: 13 is refused");
  envs = calloc(1, sizeof(group));
  counters = calloc(call->num_envs, sizeof(counter));
  if (envs == NULL || counters == NULL) {
    free(envs);
    free(counters);
    return envpool_fail(errors, 0, ENVPOOL_ERROR_MEMORY, "no memory for counters");
  }
  envs->size = size;
  envs->counters = counters;
  *made = envs;
  return 0;
}

static void destroy(void* made) {
  group* const envs = made;
  free(envs->counters);
  free(envs);
}

static int construct(void* made, uint32_t begin, uint32_t end, const envpool_errors* errors) {
  (void)made;
  (void)begin;
  (void)end;
  (void)errors;
  return 0;
}

static int parse_start(const envpool_task* task, const envpool_options* options, void** start,
                       const envpool_errors* errors) {
  int64_t* const place = malloc(sizeof(int64_t));
  (void)task;
  if (place == NULL) return envpool_fail(errors, 0, ENVPOOL_ERROR_MEMORY, "no memory");
  *place = options->values[0].value.integer;
  *start = place;
  return 0;
}

static void reset(void* made, const envpool_reset* call) {
  group* const envs = made;
  for (uint32_t k = 0; k < call->items.count; ++k) {
    counter* const at = &envs->counters[envpool_env(&call->items, k)];
    memset(at, 0, sizeof(*at));
    if (call->start != NULL) at->place = *(const int64_t*)call->start;
    if (at->place >= envs->size || at->place <= -envs->size) {
      envpool_fail(call->errors, k, ENVPOOL_ERROR_FAILED, "the start is an end");
    }
  }
}

static void step(void* made, const envpool_step* call) {
  group* const envs = made;
  for (uint32_t k = 0; k < call->items.count; ++k) {
    const uint32_t env = envpool_env(&call->items, k);
    counter* const at = &envs->counters[env];
    int64_t action;
    memcpy(&action, call->actions + env * call->action_bytes, sizeof(action));
    if (action == 3) {
      envpool_fail(call->errors, k, ENVPOOL_ERROR_FAILED, "asked to fail");
      continue;
    }
    at->place += action - 1;
    if (envpool_random(&call->rngs[env]) < 0.25) {
      at->place += 2 * envpool_integers(&call->rngs[env], 0, 2) - 1;
    }
    if (at->place > envs->size) at->place = envs->size;
    if (at->place < -envs->size) at->place = -envs->size;
    at->visits += at->place == 0;
    call->rewards[k] = (double)at->place;
    call->ends[k] = at->place == envs->size || at->place == -envs->size ? ENVPOOL_TERMINATED : 0;
  }
}

static void observe(void* made, const envpool_observe* call) {
  group* const envs = made;
  for (uint32_t k = 0; k < call->items.count; ++k) {
    const counter* const at = &envs->counters[envpool_env(&call->items, k)];
    const size_t row = envpool_row(call, k);
    memcpy(call->observation[0].base + row * call->observation[0].row_bytes, &at->place, 8);
    if (call->after_reset[k]) continue;
    memcpy(call->infos[0].base + row * call->infos[0].row_bytes, &at->visits, 8);
    call->info_masks[0].base[row * call->info_masks[0].row_bytes] = 1;
  }
}

static void draw(void* made, const envpool_draw* call) {
  group* const envs = made;
  for (uint32_t k = 0; k < call->items.count; ++k) {
    const counter* const at = &envs->counters[envpool_env(&call->items, k)];
    unsigned char* const picture = call->pictures + k * call->picture_bytes;
    memset(picture, 0, call->picture_bytes);
    picture[3 * (at->place + envs->size + 1)] = 255;
  }
}

static int save(void* made, uint32_t env, const envpool_bytes_receiver* receiver,
                const envpool_errors* errors) {
  const group* const envs = made;
  if (envs->size == 9 && env == 2) {
    return envpool_fail(errors, 0, ENVPOOL_ERROR_STATE, "asked not to save");
  }
  receiver->append(receiver->context, &envs->counters[env], sizeof(counter));
  return 0;
}

static int load(void* made, uint32_t env, const void* bytes, uint64_t count, uint32_t flags,
                const envpool_errors* errors) {
  group* const envs = made;
  (void)flags;
  if (count != sizeof(counter)) {
    return envpool_fail(errors, 0, ENVPOOL_ERROR_STATE, "expected the bytes of a counter");
  }
  memcpy(&envs->counters[env], bytes, sizeof(counter));
  return 0;
}

static const envpool_task kTask = {.size = sizeof(envpool_task),
                                   .id = "Tally-v0",
                                   .max_episode_steps = 50,
                                   .reward_threshold = 4.5,
                                   .options = kOptions,
                                   .num_options = 1,
                                   .reset_options = kResetOptions,
                                   .num_reset_options = 1,
                                   .traits = ENVPOOL_NEVER_WAITS,
                                   .has_reward_threshold = 1,
                                   .describe = describe,
                                   .make = make,
                                   .destroy = destroy,
                                   .construct = construct,
                                   .reset = reset,
                                   .step = step,
                                   .observe = observe,
                                   .parse_start = parse_start,
                                   .destroy_start = free,
                                   .draw = draw,
                                   .save = save,
                                   .load = load};
static const envpool_task* const kTasks[] = {&kTask};
static const envpool_plugin kPlugin = {.size = sizeof(envpool_plugin),
                                       .abi = ENVPOOL_ABI,
                                       .revision = ENVPOOL_ABI_REVISION,
                                       .name = "tally",
                                       .release = ENVPOOL_VERSION,
                                       .tasks = kTasks,
                                       .num_tasks = 1};

__attribute__((visibility("default"))) void* PyInit_tally(void);
void* PyInit_tally(void) { return envpool_init(&kPlugin); }
