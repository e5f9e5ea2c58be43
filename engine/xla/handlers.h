// The handlers that XLA calls from compiled programs. Each takes a state (shared_pool.h) and
// returns the next one as its first result. They run on threads of XLA, without the GIL.
//
// Every handler has the attribute "fields", int64: the stamp of the layout, the number of buffers,
// then the index in the layout of each result after the state.
#ifndef ENGINE_XLA_HANDLERS_H_
#define ENGINE_XLA_HANDLERS_H_

#include "engine/xla/xla_ffi.h"

namespace engine::xla {

// Arguments: state; seeds, uint32 (num_envs, 2), low half first, or (0, 2): none; mask, bool
// (num_envs,), or (0,): all. Results: a row per environment.
abi::Error* ResetHandler(abi::CallFrame* frame);
// Arguments: state; each leaf of the actions; ids, int32 (n,), or (0,): all environments. Results:
// a row per action; in first-ready mode batch_size rows. With buffers there are further arguments:
// t, int32 (), and the buffers, which are also the last results: element t of each is written.
abi::Error* StepHandler(abi::CallFrame* frame);
// Arguments: as step. No results.
abi::Error* SendHandler(abi::CallFrame* frame);
// Arguments: state. Results: batch_size rows.
abi::Error* RecvHandler(abi::CallFrame* frame);

}  // namespace engine::xla

#endif  // ENGINE_XLA_HANDLERS_H_
