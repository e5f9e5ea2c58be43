/* Plug-ins in C that are refused: the environment variable MISTAKE says what is wrong. */
#include <envpool_abi.h>
#include <stdlib.h>
#include <string.h>

static int is(const char* name) {
  const char* const mistake = getenv("MISTAKE");
  return mistake != NULL && strcmp(mistake, name) == 0;
}

static int describe(const envpool_task* task, const envpool_options* options,
                    const envpool_spec_receiver* receiver, const envpool_errors* errors) {
  static const float low = -1.0F;
  static const float high = 1.0F;
  static const int64_t shape[] = {2};
  envpool_space children[2];
  envpool_spec spec = {.size = sizeof(spec), .frame_skip = 1};
  (void)task;
  (void)options;
  spec.observation = (envpool_space){.kind = ENVPOOL_BOX,
                                     .dtype = ENVPOOL_FLOAT32,
                                     .shape = shape,
                                     .num_dimensions = 1,
                                     .low = &low,
                                     .num_low = 1,
                                     .high = &high,
                                     .num_high = 1};
  spec.action = (envpool_space){.kind = ENVPOOL_DISCRETE, .n = 2};
  if (is("dtype")) spec.observation.dtype = 11;
  if (is("kind")) spec.observation.kind = 7;
  if (is("null shape")) spec.observation.shape = NULL;
  if (is("bounds")) spec.observation.num_low = 3;
  if (is("size of spec")) spec.size = 8;
  if (is("picture without draw")) {
    spec.has_picture = 1;
    spec.picture_height = spec.picture_width = spec.picture_fps = 1;
  }
  if (is("nested action")) {
    children[0] = children[1] = spec.action;
    children[0].key = (envpool_text){"a", 1};
    children[1].key = (envpool_text){"b", 1};
    spec.action = (envpool_space){.kind = ENVPOOL_DICT, .children = children, .num_children = 2};
  }
  if (is("describe fails")) return envpool_fail(errors, 0, ENVPOOL_ERROR_FAILED, "no level file");
  if (is("describe fails silently")) return -1;
  if (is("message of null")) {
    errors->report(errors->context, 0, ENVPOOL_ERROR_FAILED, (envpool_text){NULL, 5});
    return -1;
  }
  if (is("spec of null")) {
    receiver->take(receiver->context, NULL);
    return 0;
  }
  if (!is("no spec")) receiver->take(receiver->context, &spec);
  return 0;
}

static int make(const envpool_task* task, const envpool_make* call, void** group,
                const envpool_errors* errors) {
  (void)task;
  (void)call;
  (void)group;
  (void)errors;
  return 0;
}
static void destroy(void* group) { (void)group; }
static int construct(void* group, uint32_t begin, uint32_t end, const envpool_errors* errors) {
  (void)group;
  (void)begin;
  (void)end;
  (void)errors;
  return 0;
}
static void reset(void* group, const envpool_reset* call) {
  (void)group;
  (void)call;
}
static void step(void* group, const envpool_step* call) {
  (void)group;
  (void)call;
}
static void observe(void* group, const envpool_observe* call) {
  (void)group;
  (void)call;
}

static int save(void* group, uint32_t env, const envpool_bytes_receiver* receiver,
                const envpool_errors* errors) {
  (void)group;
  (void)env;
  (void)receiver;
  (void)errors;
  return 0;
}

static envpool_option option;
static envpool_task task;
static const envpool_task* const kTasks[] = {&task};
static const envpool_task* const kNoTasks[] = {NULL};
static envpool_plugin plugin;

__attribute__((visibility("default"))) void* PyInit_interface_mistakes(void);
void* PyInit_interface_mistakes(void) {
  option = (envpool_option){.name = {"size", 4}, .default_value = {.type = ENVPOOL_VALUE_INT}};
  task = (envpool_task){.size = sizeof(task),
                        .id = "Mistake-v0",
                        .options = &option,
                        .num_options = 1,
                        .describe = describe,
                        .make = make,
                        .destroy = destroy,
                        .construct = construct,
                        .reset = reset,
                        .step = step,
                        .observe = observe};
  plugin = (envpool_plugin){.size = sizeof(plugin),
                            .abi = ENVPOOL_ABI,
                            .revision = ENVPOOL_ABI_REVISION,
                            .name = "interface_mistakes",
                            .release = "9.8.7",
                            .tasks = kTasks,
                            .num_tasks = 1};
  if (is("later version")) plugin.abi = ENVPOOL_ABI + 1;
  if (is("earlier version")) plugin.abi = ENVPOOL_ABI - 1;
  if (is("no release")) {
    plugin.abi = ENVPOOL_ABI + 1;
    plugin.release = NULL;
  }
  if (is("later revision")) plugin.revision = ENVPOOL_ABI_REVISION + 1;
  if (is("size of plugin")) plugin.size = 16;
  if (is("size of task")) task.size = 64;
  if (is("tasks of null")) plugin.tasks = NULL;
  if (is("task of null")) plugin.tasks = kNoTasks;
  if (is("no id")) task.id = NULL;
  if (is("no step")) task.step = NULL;
  if (is("save alone")) task.save = save;
  if (is("games without seeds")) task.traits = ENVPOOL_CONTINUES_GAMES;
  if (is("float64 actions")) task.traits = ENVPOOL_STEPS_FLOAT64;
  if (is("type of option")) option.default_value.type = 9;
  if (is("null options")) task.options = NULL;
  if (is("threshold")) {
    task.has_reward_threshold = 1;
    task.reward_threshold = strtod("nan", NULL);
  }
  return envpool_init(&plugin);
}
