#include "engine/bindings/pool_binding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/placement_arguments.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/reset_arguments.h"
#include "engine/checks/checked_group.h"
#include "engine/topology/current_topology.h"
#include "engine/topology/placement.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

constexpr std::int64_t kMaxThreads = 4096;

}  // namespace

PoolBinding::PoolBinding(const std::string& task_id, const py::dict& options, py::int_ num_envs,
                         py::int_ batch_size, py::int_ num_threads, py::object seed,
                         const std::string& autoreset_mode, py::int_ max_episode_steps,
                         const std::string& env_type, bool renders, bool records_episodes,
                         py::int_ max_blocks, bool own_infos, bool check,
                         const py::object& thread_affinity, const std::string& numa)
    : task_(Registry::Global().Find(task_id)) {
  const std::int64_t envs = ReadCount(num_envs, "num_envs", 1, kMaxEnvs);
  const std::shared_ptr<const Topology> topology = CurrentTopology();
  const std::int64_t threads = ReadCount(num_threads, "num_threads", 0, kMaxThreads);
  const bool is_dm = ReadIsDm(env_type);
  const GroupConfig group_config{
      .num_envs = static_cast<std::uint32_t>(envs),
      .autoreset = ReadAutoreset(autoreset_mode),
      .max_episode_steps = ReadCount(max_episode_steps, "max_episode_steps", 0,
                                     std::numeric_limits<std::int64_t>::max()),
      .renders = renders,
      .records_episodes = records_episodes};
  const PoolConfig config{
      .batch_size = static_cast<std::uint32_t>(ReadCount(batch_size, "batch_size", 1, envs)),
      .num_threads =
          static_cast<std::uint32_t>(threads > 0 ? threads : DefaultNumThreads(*topology, envs)),
      .autoreset = group_config.autoreset,
      .dm_columns = is_dm,
      .max_blocks = static_cast<std::uint64_t>(
          ReadCount(max_blocks, "max_blocks", 0, std::numeric_limits<std::int64_t>::max())),
      .affinity = ReadAffinity(thread_affinity, numa, *topology)};
  ResetRequest seeds;
  ReadSeeds(seed, envs, group_config.num_envs, seeds);
  const ParamValues values = ReadOptions(task_.options, options, "option", task_.id);
  Make(values, group_config, config, *topology, seeds, check);
  output_.emplace(pool_->spec(), config.dm_columns, own_infos);
  if (pool_->saves_states()) state_key_.emplace(task_.id, values, pool_->state_version());
  const SpaceSpec& action = pool_->spec().action;
  const std::int64_t max_rows = envs * pool_->spec().max_players();
  if (action.is_leaf()) {
    max_actions_ = NumElements(action.shape) * max_rows;
  } else {
    action_form_.emplace(action, max_rows);
  }
}

void PoolBinding::Make(const ParamValues& values, const GroupConfig& group_config,
                       const PoolConfig& config, const Topology& topology,
                       const ResetRequest& seeds, bool check) {
  try {
    {
      const GilReleased released;
      std::unique_ptr<EnvGroup> group = task_.make_group(values, group_config);
      group->spec().Validate(task_.id);  // registration has checked it with default options only
      CheckSeeds(seeds, group_config.num_envs, group->spec().max_seed);
      if (check) group = std::make_unique<CheckedGroup>(std::move(group));
      pool_ = std::make_shared<Pool>(std::move(group), config, topology);
    }
    PythonHost host;
    if (pool_->Construct(host) != WaitResult::kDone) throw py::error_already_set();
    const GilReleased released;
    pool_->SeedAll(seeds);
  } catch (const std::bad_alloc&) {
    Discard();
    throw Error(ErrorKind::kMemory, "num_envs: the system refuses the memory of " +
                                        std::to_string(group_config.num_envs) +
                                        " environments of " + task_.id);
  } catch (...) {
    Discard();
    throw;
  }
}

PoolBinding::~PoolBinding() {
  // In a forked child it is not freed, like the pool.
  if (InChild()) static_cast<void>(new std::shared_ptr<xla::SharedPool>(std::move(shared_)));
}

py::object PoolBinding::OutputOf(Batch& batch, bool start) {
  return start ? output_->Start(batch) : output_->Transition(batch);
}

py::object PoolBinding::Step(py::handle actions, py::handle env_id) {
  return StepTo({}, actions, env_id);
}

py::object PoolBinding::StepInto(py::object actions, py::object env_id,
                                 const PythonTargetPtr& target, py::int_ first_row) {
  return StepTo(ReadTarget(target, first_row, RowsOfQueuedStep()), actions, env_id);
}

py::object PoolBinding::StepTo(const RowTarget& target, py::handle actions, py::handle env_id) {
  Pool& pool = Usable();
  return WithActions(actions, [&](const ArrayView& view) {
    const std::optional<ArrayArgument> ids = ReadIds(env_id);
    Batch batch;
    RunCall([&](Host& host) { return pool.Step(view, ViewOf(ids), host, batch, target); });
    return ResultIn(target, batch, false);
  });
}

py::object PoolBinding::Reset(py::object env_id, py::object seed, py::object mask,
                              py::object options) {
  return ResetTo({}, env_id, seed, mask, options);
}

py::object PoolBinding::ResetInto(py::object env_id, py::object seed, py::object mask,
                                  py::object options, const PythonTargetPtr& target,
                                  py::int_ first_row) {
  return ResetTo(ReadTarget(target, first_row, 0), env_id, seed, mask, options);
}

py::object PoolBinding::ResetTo(const RowTarget& target, py::handle env_id, py::handle seed,
                                py::handle mask, const py::object& options) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  ResetRequest request = ReadReset(ids, seed);
  ReadMask(mask, pool.num_envs(), request);
  if (ids && !request.mask.empty()) {
    throw Error(ErrorKind::kInput, "reset: expected env_id or options[\"reset_mask\"], got both");
  }
  std::optional<ParamValues> values;
  if (!options.is_none() && !py::cast<py::dict>(options).empty()) {
    values =
        ReadOptions(task_.reset_options, py::cast<py::dict>(options), "reset option", task_.id);
  }
  if (values) {
    PythonHost host;
    request.start = pool.ParseStart(*values, host);
  }
  Batch batch;
  RunCall(
      [&](Host& host) { return pool.Reset(ViewOf(ids), std::move(request), host, batch, target); });
  return ResultIn(target, batch, true);
}

void PoolBinding::Send(py::object actions, py::object env_id) {
  Pool& pool = Usable();
  WithActions(actions, [&](const ArrayView& view) {
    const std::optional<ArrayArgument> ids = ReadIds(env_id);
    PythonHost host;
    pool.Send(view, ViewOf(ids), host);
  });
}

py::object PoolBinding::Render(py::object env_ids) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_ids, "env_ids");
  const EnvSpec& spec = pool.spec();
  const RenderSpec picture = spec.render.value_or(RenderSpec{.height = 1, .width = 1});
  std::int64_t n = pool.num_envs();
  // Allocated before the ids are checked, so its size is limited to the number of environments.
  if (ids) n = ids->view().num_dims == 1 ? std::min(n, ids->view().shape[0]) : 0;
  py::object pictures = spec.scene_size > 0
                            ? NewArray(DType::kFloat64, {n, spec.scene_size})
                            : NewArray(DType::kUInt8, {n, picture.height, picture.width, 3});
  auto* const rgb =
      static_cast<std::uint8_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(pictures.ptr())));
  Failures failed;
  // If the pool is closed meanwhile, its threads may still write to `pictures` until they end.
  std::shared_ptr<void> owner = KeepAlive(pictures);
  RunCall(
      [&](Host& host) { return pool.Render(ViewOf(ids), rgb, std::move(owner), host, failed); });
  if (!failed.empty()) [[unlikely]]
    ThrowEnvironmentsFailed(failed, pictures);
  return pictures;
}

void PoolBinding::Register(py::module_& module) {
  py::class_<PoolBinding> pool(module, "Pool");
  pool.def(py::init<const std::string&, const py::dict&, py::int_, py::int_, py::int_, py::object,
                    const std::string&, py::int_, const std::string&, bool, bool, py::int_, bool,
                    bool, const py::object&, const std::string&>(),
           py::arg("task_id"), py::arg("options"), py::kw_only(), py::arg("num_envs"),
           py::arg("batch_size"), py::arg("num_threads"), py::arg("seed"),
           py::arg("autoreset_mode"), py::arg("max_episode_steps"), py::arg("env_type"),
           py::arg("renders") = false, py::arg("records_episodes") = false,
           py::arg("max_blocks") = 0, py::arg("own_infos") = true, py::arg("check") = false,
           py::arg("thread_affinity") = py::none(), py::arg("numa") = "auto")
      .def("render", &PoolBinding::Render, py::arg("env_ids") = py::none(), py::pos_only())
      .def("save_states", &PoolBinding::SaveStates, py::arg("env_id") = py::none(), py::pos_only())
      .def("load_states", &PoolBinding::LoadStates, py::arg("states"),
           py::arg("env_id") = py::none(), py::pos_only())
      .def("share_with_xla", &PoolBinding::ShareWithXla, py::arg("reset_options"), py::pos_only())
      .def("xla_state", &PoolBinding::XlaState)
      .def("allow_xla_restart", &PoolBinding::AllowXlaRestart);
  DefineCalls(pool);
}

}  // namespace engine::bindings
