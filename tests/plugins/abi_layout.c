/* Version 1 of the C interface, as plug-ins are compiled for it. The numbers never change: a
   plug-in that was built earlier depends on them. New members of a struct with `size` come after
   these. */
#include <envpool_abi.h>
#include <stddef.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define AT(type, member, bytes) _Static_assert(offsetof(type, member) == (bytes), #type "." #member)

_Static_assert(ENVPOOL_ABI == 1, "the numbers below are those of version 1");

SIZE(envpool_text, 16);
SIZE(envpool_errors, 16);
SIZE(envpool_entry, 32);
SIZE(envpool_value, 56);
AT(envpool_value, integer, 8);
AT(envpool_value, number, 16);
AT(envpool_value, text, 24);
AT(envpool_value, items, 40);
AT(envpool_value, count, 48);
SIZE(envpool_option, 128);
AT(envpool_option, doc, 16);
AT(envpool_option, default_value, 32);
AT(envpool_option, flags, 88);
AT(envpool_option, low, 96);
AT(envpool_option, high, 104);
AT(envpool_option, choices, 112);
AT(envpool_option, num_choices, 120);
SIZE(envpool_named_value, 72);
SIZE(envpool_options, 16);
SIZE(envpool_space, 120);
AT(envpool_space, dtype, 4);
AT(envpool_space, shape, 8);
AT(envpool_space, low, 24);
AT(envpool_space, high, 40);
AT(envpool_space, n, 56);
AT(envpool_space, start, 64);
AT(envpool_space, nvec, 72);
AT(envpool_space, key, 88);
AT(envpool_space, children, 104);
AT(envpool_space, num_children, 112);
SIZE(envpool_info, 40);
AT(envpool_info, dtype, 16);
AT(envpool_info, flags, 20);
AT(envpool_info, shape, 24);
AT(envpool_spec, observation, 8);
AT(envpool_spec, action, 128);
AT(envpool_spec, clips_actions, 248);
AT(envpool_spec, has_picture, 252);
AT(envpool_spec, infos, 256);
AT(envpool_spec, num_infos, 264);
AT(envpool_spec, picture_height, 272);
AT(envpool_spec, picture_width, 280);
AT(envpool_spec, picture_fps, 288);
AT(envpool_spec, scene_size, 296);
AT(envpool_spec, frame_skip, 304);
SIZE(envpool_spec_receiver, 16);
SIZE(envpool_bytes_receiver, 16);
SIZE(envpool_items, 16);
AT(envpool_items, first, 8);
AT(envpool_items, count, 12);
SIZE(envpool_rng, 40);
AT(envpool_rng, inc_high, 16);
AT(envpool_rng, has_uint32, 32);
AT(envpool_rng, uinteger, 36);
SIZE(envpool_column, 16);
SIZE(envpool_action_leaf, 48);
AT(envpool_action_leaf, dtype, 16);
AT(envpool_action_leaf, is_discrete, 17);
AT(envpool_action_leaf, float64, 24);
AT(envpool_action_leaf, is_float64, 40);
AT(envpool_step, items, 8);
AT(envpool_step, rngs, 24);
AT(envpool_step, actions, 32);
AT(envpool_step, action_bytes, 40);
AT(envpool_step, float64_actions, 48);
AT(envpool_step, is_float64, 56);
AT(envpool_step, leaves, 64);
AT(envpool_step, num_leaves, 72);
AT(envpool_step, rewards, 80);
AT(envpool_step, ends, 88);
AT(envpool_step, scores, 96);
AT(envpool_step, errors, 104);
AT(envpool_reset, items, 8);
AT(envpool_reset, rngs, 24);
AT(envpool_reset, start, 32);
AT(envpool_reset, flags, 40);
AT(envpool_reset, seeds, 48);
AT(envpool_reset, results, 56);
AT(envpool_reset, errors, 64);
AT(envpool_observe, items, 8);
AT(envpool_observe, rows, 24);
AT(envpool_observe, first_row, 32);
AT(envpool_observe, observation, 40);
AT(envpool_observe, infos, 48);
AT(envpool_observe, info_masks, 56);
AT(envpool_observe, after_reset, 64);
AT(envpool_observe, errors, 72);
AT(envpool_draw, items, 8);
AT(envpool_draw, pictures, 24);
AT(envpool_draw, picture_bytes, 32);
AT(envpool_draw, errors, 40);
AT(envpool_make, options, 8);
AT(envpool_make, num_envs, 24);
AT(envpool_make, draws, 28);
AT(envpool_task, id, 8);
AT(envpool_task, max_episode_steps, 16);
AT(envpool_task, reward_threshold, 24);
AT(envpool_task, options, 32);
AT(envpool_task, num_options, 40);
AT(envpool_task, reset_options, 48);
AT(envpool_task, num_reset_options, 56);
AT(envpool_task, traits, 64);
AT(envpool_task, state_version, 72);
AT(envpool_task, has_reward_threshold, 76);
AT(envpool_task, data, 80);
AT(envpool_task, describe, 88);
AT(envpool_task, make, 96);
AT(envpool_task, destroy, 104);
AT(envpool_task, construct, 112);
AT(envpool_task, reset, 120);
AT(envpool_task, step, 128);
AT(envpool_task, observe, 136);
AT(envpool_task, parse_start, 144);
AT(envpool_task, destroy_start, 152);
AT(envpool_task, draw, 160);
AT(envpool_task, save, 168);
AT(envpool_task, load, 176);
AT(envpool_plugin, abi, 8);
AT(envpool_plugin, revision, 12);
AT(envpool_plugin, name, 16);
AT(envpool_plugin, release, 24);
AT(envpool_plugin, tasks, 32);
AT(envpool_plugin, num_tasks, 40);
AT(envpool_plugin, exact, 48);
AT(envpool_plugin, needs_exact, 56);
AT(envpool_core, abi, 8);
AT(envpool_core, revision, 12);
AT(envpool_core, release, 16);
AT(envpool_core, add, 24);
AT(envpool_core, refuse, 32);
AT(envpool_core, new_module, 40);

/* The constants. */
_Static_assert(ENVPOOL_ERROR_FAILED == 0 && ENVPOOL_ERROR_OPTION == 1 &&
                   ENVPOOL_ERROR_OPTION_TYPE == 2 && ENVPOOL_ERROR_INPUT == 3 &&
                   ENVPOOL_ERROR_INPUT_TYPE == 4 && ENVPOOL_ERROR_STATE == 5 &&
                   ENVPOOL_ERROR_MEMORY == 6 && ENVPOOL_ERROR_RENDER_MODE == 7 &&
                   ENVPOOL_ERROR_ROM == 8,
               "errors");
_Static_assert(ENVPOOL_VALUE_NONE == 0 && ENVPOOL_VALUE_BOOL == 1 && ENVPOOL_VALUE_INT == 2 &&
                   ENVPOOL_VALUE_FLOAT == 3 && ENVPOOL_VALUE_TEXT == 4 && ENVPOOL_VALUE_INTS == 5 &&
                   ENVPOOL_VALUE_FLOATS == 6 && ENVPOOL_VALUE_TEXTS == 7 &&
                   ENVPOOL_VALUE_TABLE == 8,
               "values");
_Static_assert(ENVPOOL_OPTION_HAS_LOW == 1 && ENVPOOL_OPTION_HAS_HIGH == 2 &&
                   ENVPOOL_OPTION_ONE_IS_LIST == 4 && ENVPOOL_OPTION_OR_NAME == 8 &&
                   ENVPOOL_OPTION_FIXED == 16 && ENVPOOL_OPTION_TAKES_NONE == 32 &&
                   ENVPOOL_OPTION_NONE_DEFAULT == 64,
               "options");
_Static_assert(ENVPOOL_BOOL == 0 && ENVPOOL_INT8 == 1 && ENVPOOL_INT16 == 2 && ENVPOOL_INT32 == 3 &&
                   ENVPOOL_INT64 == 4 && ENVPOOL_UINT8 == 5 && ENVPOOL_UINT16 == 6 &&
                   ENVPOOL_UINT32 == 7 && ENVPOOL_UINT64 == 8 && ENVPOOL_FLOAT32 == 9 &&
                   ENVPOOL_FLOAT64 == 10,
               "dtypes");
_Static_assert(ENVPOOL_BOX == 0 && ENVPOOL_DISCRETE == 1 && ENVPOOL_MULTI_DISCRETE == 2 &&
                   ENVPOOL_MULTI_BINARY == 3 && ENVPOOL_TEXT == 4 && ENVPOOL_DICT == 5 &&
                   ENVPOOL_TUPLE == 6 && ENVPOOL_INFO_WIDENS_PREVIOUS == 1,
               "spaces");
_Static_assert(ENVPOOL_TERMINATED == 1 && ENVPOOL_TRUNCATED == 2 && ENVPOOL_GAME_CONTINUES == 4 &&
                   ENVPOOL_REPORT_TERMINATED == 8 && ENVPOOL_ZERO_DISCOUNT == 16,
               "ends");
_Static_assert(ENVPOOL_REMAKE == 1 && ENVPOOL_SEED == 2 && ENVPOOL_CONTINUE == 4 &&
                   ENVPOOL_WAS_RESET == 0 && ENVPOOL_CONTINUED == 1 && ENVPOOL_GAME_ENDED == 2,
               "resets");
_Static_assert(ENVPOOL_NEVER_WAITS == 1 && ENVPOOL_STEPS_FLOAT64 == 2 &&
                   ENVPOOL_STEPS_LEAVES == 4 && ENVPOOL_KEEPS_FLOAT64 == 8 &&
                   ENVPOOL_RECEIVES_SEED == 16 && ENVPOOL_CONTINUES_GAMES == 32 &&
                   ENVPOOL_SETS_EVERY_INFO == 64 && ENVPOOL_HAS_SCORE == 128,
               "traits");
