#include "engine/xla/handlers.h"

#include <cstring>
#include <string>

#include "engine/base/error.h"
#include "engine/batch/row_staging.h"
#include "engine/xla/call_frame.h"
#include "engine/xla/results.h"
#include "engine/xla/shared_pool.h"

namespace engine::xla {
namespace {

// Thrown if environments failed in a call. The other environments were stepped.
struct EnvironmentsFailed {
  std::string message;
};

// Working memory of a call. One per thread, so that a call allocates nothing.
struct Scratch {
  Results results;
  ActionLeaves actions;
};

Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

void CheckCount(const CallFrame& frame, std::size_t args) {
  if (frame.num_args() == args) return;
  throw Error(ErrorKind::kInput, "arguments: expected " + std::to_string(args) + ", got " +
                                     std::to_string(frame.num_args()));
}

State ReadState(const CallFrame& frame) {
  if (frame.num_args() == 0 || frame.num_results() == 0) {
    throw Error(ErrorKind::kInput,
                "state: missing; pass the state that the previous call returned");
  }
  const CallArray array = frame.Arg(0, "state");
  CheckArray(array, "state", DType::kUInt32, kStateShape);
  CheckArray(frame.Result(0), "state", DType::kUInt32, kStateShape);
  State state;
  std::memcpy(state.data(), array.data, sizeof(state));
  return state;
}

// One call of a handler.
struct HandlerCall {
  CallFrame frame;
  SharedPool& shared;
  Pool& pool;
  Scratch& scratch;
  bool& changed;  // whether environments were stepped
  NoHost host;
};

// Runs `body(call)` with the pool of the frame's state, and returns its exception as an XLA error.
template <class Body>
abi::Error* Handle(abi::CallFrame* given, bool may_restart, const Body& body) noexcept {
  if (AnswersMetadata(*given) || given->stage != abi::kExecuteStage) return nullptr;
  try {
    const CallFrame frame(*given);
    const State state = ReadState(frame);
    const std::shared_ptr<SharedPool> shared = SharedPool::Find(state);
    const State next = shared->Run(state, may_restart, [&](bool& changed) {
      HandlerCall call{.frame = frame,
                       .shared = *shared,
                       .pool = shared->pool(),
                       .scratch = ThreadScratch(),
                       .changed = changed,
                       .host = {}};
      body(call);
    });
    std::memcpy(frame.Result(0).data, next.data(), sizeof(next));
    return nullptr;
  } catch (const EnvironmentsFailed& failed) {
    return MakeError(*given, abi::ErrorCode::kAborted, "EnvironmentFailedError", failed.message);
  } catch (...) {
    return CaughtError(*given);
  }
}

// Throws Error{kInput} if the program was compiled for pools with other results.
Fields ReadFields(const CallFrame& frame, const SharedPool& shared) {
  const Fields fields = ReadFields(frame);
  if (static_cast<std::uint64_t>(fields.layout_stamp) == shared.layout_stamp()) return fields;
  throw Error(ErrorKind::kInput,
              "state: this program was compiled for another layout of results than pool " +
                  shared.name() + " has");
}

// The ids of a call; null: all environments.
class Ids {
 public:
  explicit Ids(const CallArray& array)
      : view_(array.view("env_id")), given_(array.num_dims != 1 || array.shape[0] > 0) {}
  const ArrayView* view() const { return given_ ? &view_ : nullptr; }
  std::uint32_t count(std::uint32_t num_envs) const {
    return given_ && view_.num_dims == 1 ? static_cast<std::uint32_t>(view_.shape[0]) : num_envs;
  }

 private:
  ArrayView view_;
  bool given_;
};

// The actions and ids of a call, which are the arguments after the state.
struct Input {
  ArrayView actions;
  Ids ids;
};

Input ReadInput(const HandlerCall& call, std::size_t more_args) {
  const std::vector<std::string>& names = call.shared.action_names();
  ActionLeaves& leaves = call.scratch.actions;
  CheckCount(call.frame, names.size() + 2 + more_args);
  leaves.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    leaves.push_back(call.frame.Arg(i + 1, names[i].c_str()).view(names[i].c_str()));
  }
  return {.actions = names.size() == 1 ? leaves[0] : ArrayView{.tree = &leaves},
          .ids = Ids(call.frame.Arg(names.size() + 1, "env_id"))};
}

// Returns the index of the buffer element to write.
std::int64_t ReadTime(const CallFrame& frame, const Fields& fields) {
  if (fields.num_buffers == 0) return 0;
  const CallArray time = frame.Arg(frame.num_args() - fields.num_buffers - 1, "t");
  CheckArray(time, "t", DType::kInt32, {});
  std::int32_t at = 0;
  std::memcpy(&at, time.data, sizeof(at));
  return at;
}

// Runs a call of the pool that may write into arrays of XLA. If Close() ends the call, threads may
// still write into these arrays, so this function waits until they have finished.
template <class PoolCall>
void RunInPlace(Pool& pool, PoolCall&& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kClosed) {
      NoHost host;
      pool.Close(host, WaitContext::kForever);
    }
    throw;
  }
}

void ThrowIfFailed(const Batch& batch) {
  if (batch.failed.empty()) [[likely]]
    return;
  throw EnvironmentsFailed{
      FailureMessage(batch.failed.front().first, batch.failed.front().second, batch.failed.size())};
}

ResetRequest ReadReset(const CallFrame& frame, SharedPool& shared) {
  const std::int64_t num_envs = shared.pool().num_envs();
  ResetRequest request;
  request.start = shared.ParseStarts();
  const CallArray mask = frame.Arg(2, "mask");
  if (mask.num_dims != 1 || mask.shape[0] > 0) {
    CheckArray(mask, "mask", DType::kBool, std::array{num_envs});
    const auto* const flags = reinterpret_cast<const std::uint8_t*>(mask.data);
    request.mask.assign(flags, flags + num_envs);
  }
  const CallArray seeds = frame.Arg(1, "seeds");
  if (seeds.num_dims == 2 && seeds.shape[0] == 0) return request;
  CheckArray(seeds, "seeds", DType::kUInt32, std::array{num_envs, std::int64_t{2}});
  const auto* const halves = reinterpret_cast<const std::uint32_t*>(seeds.data);
  for (std::int64_t env = 0; env < num_envs; ++env) {
    const std::uint64_t seed = halves[2 * env] | std::uint64_t{halves[2 * env + 1]} << 32;
    if (const std::uint64_t max_seed = shared.pool().spec().max_seed; seed > max_seed) {
      throw Error(ErrorKind::kInput,
                  "seed[" + std::to_string(env) + "]: expected an integer in [0, " +
                      std::to_string(max_seed) + "] for this task, got " + std::to_string(seed));
    }
    request.seeds.push_back(seed);
  }
  request.has_seed.assign(static_cast<std::size_t>(num_envs), 1);
  return request;
}

// Fills the results with a batch of a call that has stepped environments.
void Finish(HandlerCall& call, const Batch& batch) {
  call.changed = true;
  ThrowIfFailed(batch);
  call.scratch.results.Fill(batch, call.pool.spec());
}

void Reset(HandlerCall& call) {
  CheckCount(call.frame, 3);
  Results& results = call.scratch.results;
  const Fields fields = ReadFields(call.frame, call.shared);
  const BatchLayout& layout = call.pool.layout();
  results.Read(call.frame, layout, {.fields = fields.indices, .rows = call.pool.num_envs()});
  ResetRequest request = ReadReset(call.frame, call.shared);
  Batch batch;
  RunInPlace(call.pool, [&] {
    call.pool.Reset(nullptr, std::move(request), call.host, batch, results.InPlace(layout));
  });
  Finish(call, batch);
}

void Step(HandlerCall& call) {
  Results& results = call.scratch.results;
  Pool& pool = call.pool;
  const Fields fields = ReadFields(call.frame, call.shared);
  const std::size_t more_args = fields.num_buffers == 0 ? 0 : fields.num_buffers + 1;
  const Input input = ReadInput(call, more_args);
  const BatchLayout& layout = pool.ordered() ? pool.layout() : pool.queue_layout();
  results.Read(call.frame, layout,
               {.fields = fields.indices,
                .num_buffers = fields.num_buffers,
                .at = ReadTime(call.frame, fields),
                .rows = pool.ordered() ? input.ids.count(pool.num_envs()) : pool.batch_size()});
  const RowTarget target = pool.ordered() ? results.InPlace(layout) : RowTarget();
  Batch batch;
  RunInPlace(pool, [&] { pool.Step(input.actions, input.ids.view(), call.host, batch, target); });
  Finish(call, batch);
}

void Send(HandlerCall& call) {
  const Input input = ReadInput(call, 0);
  call.pool.Send(input.actions, input.ids.view(), call.host);
}

void Recv(HandlerCall& call) {
  CheckCount(call.frame, 1);
  const Fields fields = ReadFields(call.frame, call.shared);
  call.scratch.results.Read(call.frame, call.pool.queue_layout(),
                            {.fields = fields.indices, .rows = call.pool.batch_size()});
  Batch batch;
  call.pool.Recv(call.host, WaitContext::kForever, batch);
  Finish(call, batch);
}

}  // namespace

abi::Error* ResetHandler(abi::CallFrame* frame) { return Handle(frame, true, Reset); }
abi::Error* StepHandler(abi::CallFrame* frame) { return Handle(frame, false, Step); }
abi::Error* SendHandler(abi::CallFrame* frame) { return Handle(frame, false, Send); }
abi::Error* RecvHandler(abi::CallFrame* frame) { return Handle(frame, false, Recv); }

}  // namespace engine::xla
