#include "engine/bindings/pool_binding.h"

#include <algorithm>
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

PoolBinding::PoolBinding(const std::string& task_id, const py::dict& options,
                         const py::kwargs& arguments)
    : task_(Registry::Global().Find(task_id)) {
  PoolArguments read = ReadPoolArguments(arguments);
  const std::int64_t envs = read.group.num_envs;
  const std::shared_ptr<const Topology> topology = CurrentTopology();
  const std::int64_t threads =
      ReadCount(ValueOr(arguments, "num_threads", py::int_(0)), "num_threads", 0, kMaxThreads);
  read.pool.num_threads =
      static_cast<std::uint32_t>(threads > 0 ? threads : DefaultNumThreads(*topology, envs));
  read.pool.affinity = ReadAffinity(ValueOr(arguments, "thread_affinity", py::object(py::none())),
                                    ValueOr(arguments, "numa", std::string("auto")), *topology);
  ResetRequest seeds;
  ReadSeeds(ValueOr(arguments, "seed", py::object(py::none())), envs, read.group.num_envs, seeds);
  const ParamValues values = ReadOptions(task_.options, options, "option", task_.id);
  Make(values, read, *topology, seeds, ValueOr(arguments, "check_outputs", false));
  // A renderer may have a context of the graphics library, which is lost at a fork.
  one_thread_ = read.pool.num_threads == 1 && !read.group.renders;
  output_.emplace(pool_->spec(), read.pool.dm_columns, read.extra_infos);
  if (pool_->saves_states()) state_key_.emplace(task_.id, values, pool_->state_version());
  const SpaceSpec& action = pool_->spec().action;
  const std::int64_t max_rows = envs * pool_->spec().max_players();
  if (action.is_leaf()) {
    max_actions_ = NumElements(action.shape) * max_rows;
  } else {
    action_form_.emplace(action, max_rows);
  }
}

void PoolBinding::Make(const ParamValues& values, const PoolArguments& arguments,
                       const Topology& topology, const ResetRequest& seeds, bool check) {
  try {
    {
      const GilReleased released;
      std::unique_ptr<EnvGroup> group = task_.make_group(values, arguments.group);
      group->spec().Validate(task_.id);  // registration has checked it with default options only
      CheckSeeds(seeds, arguments.group.num_envs, group->spec().max_seed);
      if (check) group = std::make_unique<CheckedGroup>(std::move(group));
      pool_ = std::make_shared<Pool>(std::move(group), arguments.pool, topology);
    }
    PythonHost host;
    if (pool_->Construct(host) != WaitResult::kDone) throw py::error_already_set();
    const GilReleased released;
    pool_->SeedAll(seeds);
  } catch (const std::bad_alloc&) {
    Discard();
    throw Error(ErrorKind::kMemory, "num_envs: the system refuses the memory of " +
                                        std::to_string(arguments.group.num_envs) +
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

std::unique_ptr<ResetStart> PoolBinding::StartOf(const py::object& options) {
  if (options.is_none()) return nullptr;
  const auto given = py::cast<py::dict>(options);
  if (given.empty()) return nullptr;
  const ParamValues values = ReadOptions(task_.reset_options, given, "reset option", task_.id);
  PythonHost host;
  return pool_->ParseStart(values, host);
}

py::object PoolBinding::Render(py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id");
  const EnvSpec& spec = pool.spec();
  const RenderSpec picture = spec.render.value_or(RenderSpec{.height = 1, .width = 1});
  std::int64_t n = pool.num_envs();
  // Allocated before the ids are checked, so its size is limited to the number of environments.
  if (ids) n = ids->view().num_dims == 1 ? std::min(n, ids->view().shape[0]) : 0;
  py::object pictures = spec.scene_size > 0
                            ? NewArray(DType::kFloat64, {n, spec.scene_size})
                            : NewArray(DType::kUInt8, {n, picture.height, picture.width, 3});
  auto* const rgb = DataOf<std::uint8_t>(pictures);
  Failures failed;
  // If the pool is closed meanwhile, its threads may still write to `pictures` until they end.
  std::shared_ptr<void> owner = KeepAlive(pictures);
  RunInterruptible(
      [&](Host& host) { return pool.Render(ViewOf(ids), rgb, std::move(owner), host, failed); });
  if (!failed.empty()) [[unlikely]]
    ThrowEnvironmentsFailed(failed, pictures);
  return pictures;
}

void PoolBinding::Register(py::module_& module) {
  Define(module, "Pool")
      .def(py::init<const std::string&, const py::dict&, const py::kwargs&>())
      .def("render", &PoolBinding::Render, py::arg("env_id") = py::none(), py::pos_only())
      .def_property_readonly("can_save_states", &PoolBinding::can_save_states)
      .def("save_states", &PoolBinding::SaveStates, py::arg("env_id") = py::none(), py::pos_only())
      .def("load_states", &PoolBinding::LoadStates, py::arg("states"),
           py::arg("env_id") = py::none(), py::pos_only())
      .def("share_with_xla", &PoolBinding::ShareWithXla, py::arg("reset_options"), py::pos_only())
      .def("xla_state", &PoolBinding::XlaState)
      .def("allow_xla_restart", &PoolBinding::AllowXlaRestart);
}

}  // namespace engine::bindings
