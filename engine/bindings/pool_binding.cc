#include "engine/bindings/pool_binding.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/constructor.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/placement_arguments.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/reset_arguments.h"
#include "engine/topology/current_topology.h"
#include "engine/topology/placement.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

constexpr std::int64_t kMaxThreads = 4096;

}  // namespace

PoolBinding::PoolBinding(const py::object& tasks, const py::dict& options,
                         const py::kwargs& arguments)
    : PoolBinding(tasks, options, arguments, ReadPoolArguments(arguments)) {}

PoolBinding::PoolBinding(const py::object& tasks, const py::dict& options,
                         const py::kwargs& arguments, PoolArguments read)
    : tasks_(tasks, read.group) {
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
  Make(options, ValueOr(arguments, "env_options", py::object(py::none())), read, *topology, seeds,
       ValueOr(arguments, "check_outputs", false));
  // A renderer may have a context of the graphics library, which is lost at a fork.
  one_thread_ = read.pool.num_threads == 1 && !read.group.renders;
  output_.emplace(pool_->spec(), read.pool.dm_columns, read.extra_infos);
  const SpaceSpec& action = pool_->spec().action;
  const std::int64_t max_rows = envs * pool_->spec().max_players();
  if (action.is_leaf()) {
    max_actions_ = NumElements(action.shape) * max_rows;
  } else {
    action_form_.emplace(action, max_rows);
  }
}

void PoolBinding::Make(const py::dict& options, const py::object& env_options,
                       const PoolArguments& arguments, const Topology& topology,
                       const ResetRequest& seeds, bool check) {
  try {
    std::unique_ptr<EnvGroup> group = tasks_.MakeGroup(options, env_options, check);
    {
      const GilReleased released;
      CheckSeeds(seeds, arguments.group.num_envs, group->spec().max_seed);
      // Environments that never wait need no watch.
      if (arguments.pool.step_timeout_ns > 0 && !group->never_waits()) {
        auto maker = tasks_.Maker(group->spec(), check);
        pool_ = std::make_shared<Pool>(
            std::make_unique<RenewableGroup>(std::move(group), std::move(maker)), arguments.pool,
            topology);
      } else {
        pool_ = std::make_shared<Pool>(std::move(group), arguments.pool, topology);
      }
    }
    PythonHost host;
    if (pool_->Construct(host) != WaitResult::kDone) throw py::error_already_set();
    const GilReleased released;
    pool_->SeedAll(seeds);
  } catch (const std::bad_alloc&) {
    Discard();
    throw Error(ErrorKind::kMemory, "num_envs: the system refuses the memory of " +
                                        std::to_string(arguments.group.num_envs) +
                                        " environments of " + tasks_.Names());
  } catch (...) {
    Discard();
    throw;
  }
}

PoolBinding::~PoolBinding() {
  // In a forked child it is not freed, like the pool.
  if (InChild()) static_cast<void>(new std::shared_ptr<xla::SharedPool>(std::move(shared_)));
}

void PoolBinding::ReadResetOptions(const py::object& options, const ArrayView* ids,
                                   ResetRequest& request) {
  if (options.is_none()) return;
  py::dict given = py::cast<py::dict>(options);
  if (given.contains("env_options")) {
    given = py::dict(given);  // a copy
    request.settings = tasks_.Read(given.attr("pop")("env_options"), ids, *pool_);
  }
  if (given.empty()) return;
  const std::vector<ParamValues> values = tasks_.ReadResetOptions(given);
  PythonHost host;
  request.start = pool_->ParseStarts(values, host);
}

py::list PoolBinding::ShowEnvOptions(py::object env_id, bool next) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  return tasks_.Show(ViewOf(ids), next, pool);
}

void PoolBinding::SetEnvOptions(const py::object& dicts, py::object env_id) {
  Pool& pool = Usable();
  // A copy: the options are for the tasks of the environments that were read first.
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id", ArrayArgument::Keep::kCopy);
  const std::vector<EnvSettingPtr> settings = tasks_.Read(dicts, ViewOf(ids), pool);
  PythonHost host;
  pool.SetSettings(ViewOf(ids), settings, host);
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
  auto pool = Define(module, "Pool");
  DefineConstructor<const py::object&, const py::dict&, const py::kwargs&>(pool)
      .def("render", &PoolBinding::Render, py::arg("env_id") = py::none(), py::pos_only())
      .def_property_readonly("spaces", &PoolBinding::Spaces)
      .def_property_readonly("has_env_options", &PoolBinding::has_env_options)
      .def("env_options", &PoolBinding::ShowEnvOptions, py::arg("env_id"), py::arg("after_reset"),
           py::pos_only())
      .def("set_env_options", &PoolBinding::SetEnvOptions, py::arg("dicts"), py::arg("env_id"),
           py::pos_only())
      .def_property_readonly("attributes", &PoolBinding::Attributes)
      .def("get_attribute", &PoolBinding::GetAttribute, py::arg("name"), py::arg("env_id"),
           py::pos_only())
      .def("set_attribute", &PoolBinding::SetAttribute, py::arg("name"), py::arg("values"),
           py::arg("env_id"), py::pos_only())
      .def_property_readonly("can_save_states", &PoolBinding::can_save_states)
      .def("save_states", &PoolBinding::SaveStates, py::arg("env_id") = py::none(), py::pos_only())
      .def("load_states", &PoolBinding::LoadStates, py::arg("states"),
           py::arg("env_id") = py::none(), py::pos_only())
      .def("share_with_xla", &PoolBinding::ShareWithXla, py::arg("reset_options"), py::pos_only())
      .def("xla_state", &PoolBinding::XlaState)
      .def("allow_xla_restart", &PoolBinding::AllowXlaRestart);
}

}  // namespace engine::bindings
