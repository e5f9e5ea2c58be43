#include "engine/xla/shared_pool.h"

#include <unordered_map>
#include <utility>

#include "engine/base/entropy.h"
#include "engine/base/error.h"
#include "engine/base/fork_lock.h"
#include "engine/base/mutex.h"

namespace engine::xla {
namespace {

// The call number of restart_state().
constexpr std::uint64_t kRestart = UINT64_MAX;

// All pools that are shared. Never destroyed: programs may run while the process exits.
struct Registry {
  Mutex mutex;
  std::unordered_map<std::uint32_t, std::weak_ptr<SharedPool>> pools ENGINE_GUARDED_BY(mutex);
  std::uint32_t last_number ENGINE_GUARDED_BY(mutex) = 0;
  const std::uint32_t process = static_cast<std::uint32_t>(EntropyWord());
};

Registry& Pools() {
  static auto* const registry = new Registry;
  HoldDuringFork<[]() -> Mutex& { return Pools().mutex; }>();
  return *registry;
}

void AddNames(const SpaceSpec& space, const std::string& path, std::vector<std::string>& names) {
  if (space.is_leaf()) {
    names.push_back(path);
    return;
  }
  for (std::size_t i = 0; i < space.children.size(); ++i) {
    const auto& [key, child] = space.children[i];
    const std::string part = space.kind == SpaceKind::kDict ? '"' + key + '"' : std::to_string(i);
    AddNames(child, path + '[' + part + ']', names);
  }
}

std::vector<std::string> ActionNames(const SpaceSpec& space) {
  std::vector<std::string> names;
  AddNames(space, "actions", names);
  return names;
}

// 64-bit FNV-1a hash of the properties of results that a compiled program relies on.
std::uint64_t StampOf(const BatchLayout& layout) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    for (const char letter : layout.names[i]) add(static_cast<unsigned char>(letter));
    add(static_cast<std::uint64_t>(layout.fields[i].dtype) + 256);
    for (const std::int64_t size : layout.shapes[i]) add(static_cast<std::uint64_t>(size) + 512);
  }
  return hash;
}

std::uint64_t CallOf(const State& state) { return state[2] | std::uint64_t{state[3]} << 32; }

}  // namespace

SharedPool::SharedPool(std::shared_ptr<Pool> pool, std::string name)
    : pool_(std::move(pool)),
      name_(std::move(name)),
      action_names_(ActionNames(pool_->spec().action)),
      layout_stamp_(StampOf(pool_->layout())) {}

std::shared_ptr<SharedPool> SharedPool::Share(std::shared_ptr<Pool> pool, std::string name) {
  std::shared_ptr<SharedPool> shared(new SharedPool(std::move(pool), std::move(name)));
  Registry& registry = Pools();
  const ScopedLock lock(registry.mutex);
  shared->number_ = ++registry.last_number;
  registry.pools.emplace(shared->number_, shared);
  return shared;
}

SharedPool::~SharedPool() {
  if (fork_guard_.InChild()) return;  // a thread of the parent process may hold the mutex
  Registry& registry = Pools();
  const ScopedLock lock(registry.mutex);
  registry.pools.erase(number_);
}

std::shared_ptr<SharedPool> SharedPool::Find(const State& state) {
  Registry& registry = Pools();
  bool existed = false;
  {
    const ScopedLock lock(registry.mutex);
    if (const auto found = registry.pools.find(state[0]); found != registry.pools.end()) {
      if (state[1] == registry.process) {
        if (std::shared_ptr<SharedPool> shared = found->second.lock()) return shared;
      }
    }
    existed = state[1] == registry.process && state[0] >= 1 && state[0] <= registry.last_number;
  }
  if (existed) throw Error(ErrorKind::kClosed, "state: its pool no longer exists");
  throw Error(ErrorKind::kInput,
              "state: expected one that reset, step, send or recv has returned in this process, "
              "got other numbers");
}

void SharedPool::SetResetOptions(std::vector<ParamValues> of_tasks) {
  NoHost host;
  pool_->ParseStarts(of_tasks, host);
  const ScopedLock lock(options_mutex_);
  reset_options_ = std::move(of_tasks);
}

std::unique_ptr<ResetStart> SharedPool::ParseStarts() {
  std::vector<ParamValues> options;
  {
    const ScopedLock lock(options_mutex_);
    options = reset_options_;
  }
  if (options.empty()) return nullptr;
  NoHost host;
  return pool_->ParseStarts(options, host);
}

State SharedPool::StateOf(std::uint64_t call) const {
  return {number_, Pools().process, static_cast<std::uint32_t>(call),
          static_cast<std::uint32_t>(call >> 32)};
}

State SharedPool::state() const { return StateOf(next_call_.load(std::memory_order_relaxed)); }

State SharedPool::restart_state() const { return StateOf(kRestart); }

void SharedPool::CheckState(const State& given, bool may_restart) const {
  if (fork_guard_.InChild()) {
    throw Error(ErrorKind::kForked,
                "this pool was made before fork() in the parent process, whose threads do not "
                "exist here: make a new one in this process");
  }
  if (pool_->closed()) throw Error(ErrorKind::kClosed, "the pool of " + name_ + " is closed");
  const std::uint64_t call = CallOf(given);
  const std::uint64_t next = next_call_.load(std::memory_order_relaxed);
  if (call == next) return;
  if (call == kRestart) {
    if (may_restart || restart_allowed_.load(std::memory_order_relaxed)) return;
    throw Error(
        ErrorKind::kInput,
        "state: this one is for a reset only; pass on the state that the latest call returned");
  }
  throw Error(ErrorKind::kInput,
              "state: expected that of the latest call (number " + std::to_string(next) +
                  "), got number " + std::to_string(call) +
                  ": a state can be used once, so pass on the state that each call returns");
}

}  // namespace engine::xla
