#include "engine/bindings/pool_binding_base.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/base/tick_clock.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/pool_arguments.h"
#include "engine/bindings/pool_telemetry.h"
#include "engine/bindings/reset_arguments.h"

namespace py = pybind11;
using py::literals::operator""_a;

namespace engine::bindings {

std::optional<ArrayArgument> ReadIds(py::handle env_id, const char* name,
                                     ArrayArgument::Keep keep) {
  if (env_id.is_none()) return std::nullopt;
  return ArrayArgument(env_id, name, std::numeric_limits<std::int64_t>::max(), keep);
}

PoolBindingBase::PoolBindingBase()
    : id_([] {
        static std::atomic<std::uint64_t> pools{0};
        return pools.fetch_add(1, std::memory_order_relaxed);
      }()) {}

void PoolBindingBase::Discard() {
  const GilReleased released;
  pool_.reset();
}

PoolBindingBase::~PoolBindingBase() {
  if (fork_guard_.InChild()) {
    // The threads and locks belong to another process, so nothing is freed.
    static_cast<void>(new std::shared_ptr<Pool>(std::move(pool_)));
    return;
  }
  const GilReleased released;
  pool_.reset();
}

bool PoolBindingBase::GoesOnInChild() {
  const ScopedLock lock(fork_mutex_);
  if (!fork_guard_.InChild()) return true;  // by another thread
  if (!one_thread_ || pool_->executor().lifetime().users() != 0) return false;
  fork_guard_.BelongHere();
  return true;
}

Pool& PoolBindingBase::Usable() {
  if (fork_guard_.InChild() && !GoesOnInChild()) {
    throw Error(ErrorKind::kForked,
                "this pool was made before fork() in the parent process, whose threads and worker "
                "processes this process cannot use: move the line that makes it behind fork(); or, "
                "if the task is in C++ and nothing renders, make it with num_threads=1");
  }
  BeforeCall();
  return *pool_;
}

namespace {

// Adds `infos["error"]`, the messages of environments that failed and are reset, to the result of a
// call: as infos of single environments, in an array of n objects with a mask.
void AddErrors(const py::object& result, const std::vector<std::int32_t>& env_ids,
               const Failures& failed) {
  if (!py::isinstance<py::tuple>(result)) return;
  const auto values = py::reinterpret_borrow<py::tuple>(result);
  const py::object last = values[values.size() - 1];
  if (!py::isinstance<py::dict>(last)) return;
  const auto infos = py::reinterpret_borrow<py::dict>(last);
  const py::object numpy = py::module_::import("numpy");
  const py::object errors = numpy.attr("full")(env_ids.size(), py::none(), "dtype"_a = "object");
  const py::object mask = numpy.attr("zeros")(env_ids.size(), "dtype"_a = "bool");
  for (const auto& [env, cause] : failed) {
    const py::int_ row(std::ranges::find(env_ids, static_cast<std::int32_t>(env)) -
                       env_ids.begin());
    errors[row] = EscapedText(cause);
    mask[row] = true;
  }
  infos["error"] = errors;
  infos["_error"] = mask;
}

}  // namespace

py::object PoolBindingBase::ResultOf(Batch& batch, bool start) {
  if (batch.failed.empty() && !pool_->resets_failed()) [[likely]]
    return OutputOf(batch, start);
  const auto* const ids = batch.Data<std::int32_t>(batch.layout().env_id);
  const std::vector<std::int32_t> env_ids(ids, ids + batch.rows());
  const py::object result = OutputOf(batch, start);
  if (batch.failed.empty()) return result;
  // A reset that fails is an error, because nothing has begun.
  if (batch.raises || start) ThrowEnvironmentsFailed(batch.failed, result);
  ReportFailures(batch.failed);
  AddErrors(result, env_ids, batch.failed);
  return result;
}

ResetRequest PoolBindingBase::ReadReset(const std::optional<ArrayArgument>& ids,
                                        py::handle seed) const {
  ResetRequest request;
  std::int64_t n = pool_->num_envs();
  if (ids) n = ids->view().num_dims == 0 ? 1 : ids->view().shape[0];
  ReadSeeds(seed, n, pool_->num_envs(), request);
  CheckSeeds(request, pool_->num_envs(), pool_->spec().max_seed);
  return request;
}

py::object PoolBindingBase::Reset(py::object env_id, py::object seed, py::object mask,
                                  py::object options) {
  return ResetTo({}, env_id, seed, mask, options);
}

py::object PoolBindingBase::ResetInto(py::object env_id, py::object seed, py::object mask,
                                      py::object options, const PythonTargetPtr& target,
                                      py::int_ first_row) {
  return ResetTo(ReadTarget(target, first_row, 0), env_id, seed, mask, options);
}

py::object PoolBindingBase::ResetTo(const RowTarget& target, py::handle env_id, py::handle seed,
                                    py::handle mask, const py::object& options) {
  Pool& pool = Usable();
  // A copy: the options are for the environments of the ids that were read first.
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id", ArrayArgument::Keep::kCopy);
  ResetRequest request = ReadReset(ids, seed);
  ReadMask(mask, pool.num_envs(), request);
  if (ids && !request.mask.empty()) {
    throw Error(ErrorKind::kInput, "reset: expected env_id or options[\"reset_mask\"], got both");
  }
  ReadResetOptions(options, ViewOf(ids), request);
  Batch batch;
  RunInterruptible(
      [&](Host& host) { return pool.Reset(ViewOf(ids), std::move(request), host, batch, target); },
      Report());
  return ResultIn(target, batch, true);
}

void PoolBindingBase::AsyncReset(py::object env_id, py::object seed) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  const ResetRequest request = ReadReset(ids, seed);
  PythonHost host;
  pool.SendReset(ViewOf(ids), request, host);
}

py::object PoolBindingBase::Recv(py::object timeout) { return ReceivedBy(timeout, Usable(), {}); }

py::object PoolBindingBase::RecvInto(py::object timeout, const PythonTargetPtr& target,
                                     py::int_ first_row) {
  Pool& pool = Usable();
  return ReceivedBy(timeout, pool, ReadTarget(target, first_row, pool.batch_size()));
}

py::object PoolBindingBase::ReceivedBy(const py::object& timeout, Pool& pool,
                                       const RowTarget& target) {
  const std::int64_t timeout_ns = ReadTimeout(timeout);
  Batch batch;
  const WaitResult waited =
      RunInterruptible([&](Host& host) { return pool.Recv(host, timeout_ns, batch); }, Report());
  if (waited == WaitResult::kTimedOut) {
    throw Error(ErrorKind::kTimeout, "recv: no full batch within " +
                                         py::cast<std::string>(py::str(timeout)) +
                                         " s; nothing is lost, recv() again");
  }
  if (batch.rows() > pool.batch_size()) return ResultOf(batch, false);
  return ResultIn(target, batch, false);
}

// --- Targets

PythonTargetPtr PoolBindingBase::MakeTarget(const py::dict& arrays) const {
  // recv_into and a first-ready step_into copy one row per environment, and check nothing else.
  if (pool_->spec().players) {
    throw Error(ErrorKind::kInput,
                "make_target: expected a pool whose environments have one player each, got one "
                "with several players");
  }
  return std::make_shared<PythonTarget>(pool_->layout(), id_, arrays);
}

RowTarget PoolBindingBase::ReadTarget(const PythonTargetPtr& target, const py::int_& first_row,
                                      std::uint64_t rows) {
  if (target->pool_id() != id_) {
    throw Error(ErrorKind::kInput, "target: expected one made by this pool's make_target");
  }
  if (rows > target->rows) {
    throw Error(ErrorKind::kInput, "target: expected at least " + std::to_string(rows) +
                                       " rows, got " + std::to_string(target->rows));
  }
  const std::int64_t first =
      ReadCount(first_row, "first_row", 0, static_cast<std::int64_t>(target->rows - rows));
  targets_.Add(target);
  return {.memory = target, .first_row = static_cast<std::uint64_t>(first)};
}

void PoolBindingBase::AddTargets(const PythonTargetPtr& target, py::int_ first_row,
                                 py::int_ batches) {
  Pool& pool = Usable();
  const std::int64_t count =
      ReadCount(batches, "batches", 0, static_cast<std::int64_t>(target->rows));
  const RowTarget read = ReadTarget(target, first_row, 0);
  PythonHost host;
  pool.AddTargets(read, static_cast<std::uint64_t>(count), host);
}

void PoolBindingBase::ClearTargets() {
  Pool& pool = Usable();
  {
    PythonHost host;
    pool.ClearTargets(host);
  }
  targets_.Prune();
}

std::uint64_t PoolBindingBase::NumOpened() {
  Pool& pool = Usable();
  PythonHost host;
  return pool.NumOpened(host);
}

py::object PoolBindingBase::ResultIn(const RowTarget& target, Batch& batch, bool start) {
  const RowTarget& present = batch.target();
  if (target && (present.memory != target.memory || present.first_row != target.first_row)) {
    const GilReleased released;  // the rows may be large
    batch.MoveTo(target);
  }
  return ResultOf(batch, start);
}

void PoolBindingBase::Drain() {
  Pool& pool = Usable();
  RunInterruptible([&](Host& host) { return pool.Drain(host); }, Report());
}

// --- The order of batches

std::uint64_t PoolBindingBase::NumReceived() {
  PythonHost host;
  return Usable().NumReceived(host);
}

void PoolBindingBase::SetNumReceived(std::uint64_t n) {
  PythonHost host;
  Usable().SetNumReceived(n, host);
}

void PoolBindingBase::RecordBatches(int descriptor, bool digests, std::uint64_t max_bytes) {
  OwnedFile file(descriptor);
  Pool& pool = Usable();
  PythonHost host;
  const BatchLogHeader header{.num_envs = num_envs(),
                              .batch_size = batch_size(),
                              .has_digests = digests,
                              .first = pool.NumReceived(host)};
  auto writer = std::make_unique<BatchLogWriter>(file.Release(), header, max_bytes);
  pool.CheckRecordsBatches("record_batches", nullptr, host);
  writer->Begin();
  pool.RecordBatches(std::move(writer), host);
}

void PoolBindingBase::StopRecordingBatches() {
  PythonHost host;
  Usable().RecordBatches(nullptr, host);
}

void PoolBindingBase::ReplayBatches(int descriptor, int then, std::uint64_t max_bytes) {
  std::unique_ptr<OwnedFile> file;
  if (then >= 0) file = std::make_unique<OwnedFile>(then);
  auto reader = std::make_unique<BatchLogReader>(descriptor);
  Pool& pool = Usable();
  PythonHost host;
  pool.CheckRecordsBatches("replay_batches", &reader->header(), host);
  const std::uint64_t received = pool.NumReceived(host);
  while (reader->next() < received && reader->Next()) continue;
  if (reader->next() != received) {
    throw Error(ErrorKind::kReplay,
                "replay_batches: expected batch " + std::to_string(received) +
                    ", which is the pool's next one, got a log that " +
                    (reader->next() < received ? "ends before batch " : "begins with batch ") +
                    std::to_string(reader->next()));
  }
  std::unique_ptr<BatchLogWriter> writer;
  if (file != nullptr) {
    writer = std::make_unique<BatchLogWriter>(file->Release(), reader->header(), max_bytes);
  }
  pool.ReplayBatches(std::move(reader), std::move(writer), host);
}

int PoolBindingBase::FlushBatches() {
  PythonHost host;
  return Usable().FlushBatches(host);
}

py::dict PoolBindingBase::Stats() const {
  const PoolStats stats = pool_->stats();
  py::dict named;
  named["steps"] = stats.steps;
  named["episodes"] = stats.episodes;
  named["resets"] = stats.resets;
  named["failures"] = stats.failures;
  named["step_ns"] = stats.step_ns;
  named["idle_ns"] = stats.idle_ns;
  named["recv_wait_ns"] = stats.recv_wait_ns;
  named["blocks"] = stats.blocks;
  named["block_bytes"] = stats.block_bytes;
  named["leased_blocks"] = stats.leased_blocks;
  named["leased_bytes"] = stats.leased_bytes;
  named["threads_started"] = stats.threads_started;
  return named;
}

// --- Health

namespace {

template <class T, class Of>
py::array_t<T> ColumnOf(const std::vector<EnvHealth>& all, const Of& of) {
  py::array_t<T> column(static_cast<py::ssize_t>(all.size()));
  std::ranges::transform(all, column.mutable_data(), of);
  return column;
}

py::list IdsOf(const std::vector<std::uint32_t>& envs) {
  py::list ids;
  for (const std::uint32_t env : envs) ids.append(env);
  return ids;
}

}  // namespace

py::dict PoolBindingBase::Health() {
  Pool& pool = Usable();
  std::vector<EnvHealth> all;
  {
    PythonHost host;
    all = pool.Health(host);
  }
  py::dict columns;
  columns["state"] = ColumnOf<std::uint8_t>(
      all, [](const EnvHealth& env) { return static_cast<std::uint8_t>(env.state); });
  columns["seconds"] = ColumnOf<double>(all, [](const EnvHealth& env) { return env.seconds; });
  columns["results"] =
      ColumnOf<std::uint64_t>(all, [](const EnvHealth& env) { return env.results; });
  columns["failures"] =
      ColumnOf<std::uint64_t>(all, [](const EnvHealth& env) { return env.failures; });
  columns["step_seconds"] =
      ColumnOf<double>(all, [](const EnvHealth& env) { return env.step_seconds; });
  return columns;
}

py::object PoolBindingBase::CallWatcher(const py::tuple& arguments) const {
  try {
    return Call(watcher_, arguments);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable(watcher_);
    return py::none();
  }
}

double PoolBindingBase::ReportWait(double seconds) {
  const Pool::Awaited awaited = pool_->AwaitedEnvs();
  const py::object next =
      CallWatcher(py::make_tuple("waits", seconds, IdsOf(awaited.envs), awaited.longest_seconds));
  return py::isinstance<py::float_>(next) ? py::cast<double>(next) : 2 * seconds;
}

void PoolBindingBase::ReportFailures(const Failures& failed) const {
  if (!watcher_) return;
  py::list ids;
  py::list causes;
  for (const auto& [env, cause] : failed) {
    ids.append(env);
    causes.append(py::bytes(cause));
  }
  CallWatcher(py::make_tuple("failed", ids, causes, py::none()));
}

py::dict PoolBindingBase::Detail() const { return DetailedStats(pool_->executor()); }

std::uint64_t PoolBindingBase::Record(py::int_ events_per_thread) {
  constexpr std::int64_t kMax = 1 << 20;
  const auto events =
      static_cast<std::uint32_t>(ReadCount(events_per_thread, "events_per_thread", 2, kMax));
  Pool& pool = Usable();
  pool.CheckOpen();
  if (!pool.executor().StartRecording(events)) {
    throw Error(
        ErrorKind::kInput,
        "profile: this pool has no threads to record: it has a step_timeout, or environments in "
        "Python that worker processes or the calling thread step");
  }
  return TickClock::Now();
}

void PoolBindingBase::StopRecording() { pool_->executor().StopRecording(); }

py::list PoolBindingBase::Events(std::uint64_t since) const {
  return RecordedEvents(pool_->executor(), since);
}

bool PoolBindingBase::Close(py::object timeout) {
  if (fork_guard_.InChild() && !GoesOnInChild()) return false;
  const std::int64_t timeout_ns = ReadTimeout(timeout);
  const WaitResult waited =
      RunInterruptible([&](Host& host) { return pool_->Close(host, timeout_ns); });
  if (waited == WaitResult::kTimedOut) {
    throw Error(ErrorKind::kCloseTimeout,
                "close: steps still run after " + py::cast<std::string>(py::str(timeout)) +
                    " s; the pool is closed, and its environments are freed when the last step "
                    "has ended");
  }
  return pool_->executor().lifetime().ended();
}

}  // namespace engine::bindings
