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

// Calls `body` and returns its exception as an XLA error.
template <class Body>
abi::Error* Handle(abi::CallFrame* frame, Body&& body) noexcept {
  if (AnswersMetadata(*frame) || frame->stage != abi::kExecuteStage) return nullptr;
  try {
    body(CallFrame(*frame));
    return nullptr;
  } catch (const EnvironmentsFailed& failed) {
    return MakeError(*frame, abi::ErrorCode::kAborted, "EnvironmentFailedError", failed.message);
  } catch (...) {
    return CaughtError(*frame);
  }
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

void WriteState(const CallFrame& frame, const State& state) {
  std::memcpy(frame.Result(0).data, state.data(), sizeof(state));
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

Input ReadInput(const CallFrame& frame, const SharedPool& shared, std::size_t more_args,
                ActionLeaves& leaves) {
  const std::vector<std::string>& names = shared.action_names();
  CheckCount(frame, names.size() + 2 + more_args);
  leaves.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    leaves.push_back(frame.Arg(i + 1, names[i].c_str()).view(names[i].c_str()));
  }
  return {.actions = names.size() == 1 ? leaves[0] : ArrayView{.tree = &leaves},
          .ids = Ids(frame.Arg(names.size() + 1, "env_id"))};
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
  request.start = shared.ParseStart();
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

void Reset(const CallFrame& frame) {
  const State given = ReadState(frame);
  const std::shared_ptr<SharedPool> shared = SharedPool::Find(given);
  Pool& pool = shared->pool();
  Scratch& scratch = ThreadScratch();
  const State next = shared->Run(given, true, [&](bool& changed) {
    CheckCount(frame, 3);
    const Fields fields = ReadFields(frame, *shared);
    scratch.results.Read(frame, pool.layout(), {.fields = fields.indices, .rows = pool.num_envs()});
    ResetRequest request = ReadReset(frame, *shared);
    NoHost host;
    Batch batch;
    RunInPlace(pool, [&] {
      pool.Reset(nullptr, std::move(request), host, batch, scratch.results.InPlace(pool.layout()));
    });
    changed = true;
    ThrowIfFailed(batch);
    scratch.results.Fill(batch, pool.spec());
  });
  WriteState(frame, next);
}

void Step(const CallFrame& frame) {
  const State given = ReadState(frame);
  const std::shared_ptr<SharedPool> shared = SharedPool::Find(given);
  Pool& pool = shared->pool();
  Scratch& scratch = ThreadScratch();
  const State next = shared->Run(given, false, [&](bool& changed) {
    const Fields fields = ReadFields(frame, *shared);
    const std::size_t more_args = fields.num_buffers == 0 ? 0 : fields.num_buffers + 1;
    const Input input = ReadInput(frame, *shared, more_args, scratch.actions);
    const BatchLayout& layout = pool.ordered() ? pool.layout() : pool.queue_layout();
    scratch.results.Read(
        frame, layout,
        {.fields = fields.indices,
         .num_buffers = fields.num_buffers,
         .at = ReadTime(frame, fields),
         .rows = pool.ordered() ? input.ids.count(pool.num_envs()) : pool.batch_size()});
    const RowTarget target = pool.ordered() ? scratch.results.InPlace(layout) : RowTarget();
    NoHost host;
    Batch batch;
    RunInPlace(pool, [&] { pool.Step(input.actions, input.ids.view(), host, batch, target); });
    changed = true;
    ThrowIfFailed(batch);
    scratch.results.Fill(batch, pool.spec());
  });
  WriteState(frame, next);
}

void Send(const CallFrame& frame) {
  const State given = ReadState(frame);
  const std::shared_ptr<SharedPool> shared = SharedPool::Find(given);
  Scratch& scratch = ThreadScratch();
  const State next = shared->Run(given, false, [&](bool& /*changed*/) {
    const Input input = ReadInput(frame, *shared, 0, scratch.actions);
    NoHost host;
    shared->pool().Send(input.actions, input.ids.view(), host);
  });
  WriteState(frame, next);
}

void Recv(const CallFrame& frame) {
  const State given = ReadState(frame);
  const std::shared_ptr<SharedPool> shared = SharedPool::Find(given);
  Pool& pool = shared->pool();
  Scratch& scratch = ThreadScratch();
  const State next = shared->Run(given, false, [&](bool& changed) {
    CheckCount(frame, 1);
    const Fields fields = ReadFields(frame, *shared);
    scratch.results.Read(frame, pool.queue_layout(),
                         {.fields = fields.indices, .rows = pool.batch_size()});
    NoHost host;
    Batch batch;
    pool.Recv(host, WaitContext::kForever, batch);
    changed = true;
    ThrowIfFailed(batch);
    scratch.results.Fill(batch, pool.spec());
  });
  WriteState(frame, next);
}

}  // namespace

abi::Error* ResetHandler(abi::CallFrame* frame) { return Handle(frame, Reset); }
abi::Error* StepHandler(abi::CallFrame* frame) { return Handle(frame, Step); }
abi::Error* SendHandler(abi::CallFrame* frame) { return Handle(frame, Send); }
abi::Error* RecvHandler(abi::CallFrame* frame) { return Handle(frame, Recv); }

}  // namespace engine::xla
