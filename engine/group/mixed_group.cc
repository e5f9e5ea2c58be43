#include "engine/group/mixed_group.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/env/widen_spec.h"

namespace engine {
namespace {

EnvTraits TraitsOf(const std::vector<TaskShare>& shares) {
  const auto all = [&](const auto& has) {
    return std::ranges::all_of(shares, [&](const TaskShare& share) { return has(*share.group); });
  };
  // Each group keeps the seeds of its own environments.
  return {.receives_seed = false,
          .never_waits = all([](const EnvGroup& group) { return group.never_waits(); }),
          .steps_together = std::ranges::any_of(
              shares, [](const TaskShare& share) { return share.group->steps_together(); }),
          .steps_float64 = shares[0].group->steps_float64(),
          .steps_row = shares[0].group->steps_row(),
          .saves_state = all([](const EnvGroup& group) { return group.saves_state(); }),
          .state_version = 0};
}

EnvSpec SpecOf(const std::vector<TaskShare>& shares) {
  EnvSpec spec = shares[0].group->spec();
  for (const TaskShare& share : shares) {
    Widen(spec, share.group->spec());
    AddInfos(spec, share.group->spec());
  }
  spec.infos.push_back({.name = kTaskInfo, .dtype = DType::kInt32, .shape = {}});
  return spec;
}

std::uint32_t IndexOf(const std::vector<InfoSpec>& infos, const InfoSpec& info) {
  const auto found = std::ranges::find_if(infos, [&](const InfoSpec& other) {
    return other.name == info.name && other.widens_previous == info.widens_previous;
  });
  return static_cast<std::uint32_t>(found - infos.begin());
}

}  // namespace

std::string WhyNotMixed(const EnvGroup& one, const EnvGroup& other) {
  const EnvSpec& spec = one.spec();
  if (spec.players || other.spec().players) return "players: one of them has several";
  std::string why = FormDifference(spec, other.spec(), one.config().renders);
  if (why.empty()) why = InfoConflict(spec, other.spec());
  for (const EnvSpec& each : {spec, other.spec()}) {
    const bool has_task = std::ranges::any_of(
        each.infos, [](const InfoSpec& info) { return info.name == kTaskInfo; });
    if (why.empty() && has_task) why = "infos: one of them has an info \"task\" of its own";
  }
  if (why.empty() &&
      (one.steps_float64() != other.steps_float64() || one.steps_row() != other.steps_row()))
    why = "actions: only one of them keeps the precision of float64";
  return why;
}

// The columns of a view in the order of the infos of one task.
class MixedGroup::TaskColumns {
 public:
  TaskColumns(const Task& task, const BatchView& view) : view_(view) {
    if (task.infos.empty()) return;
    Reorder(task, view_.frame, info_, info_mask_);
    Reorder(task, view_.final_frame, final_info_, final_info_mask_);
  }
  TaskColumns(const TaskColumns&) = delete;
  TaskColumns& operator=(const TaskColumns&) = delete;

  const BatchView& view() const { return view_; }

 private:
  static void Reorder(const Task& task, FrameColumns& frame, std::vector<Column>& info,
                      std::vector<Column>& info_mask) {
    if (frame.info == nullptr) return;
    for (const std::uint32_t index : task.infos) {
      info.push_back(frame.info[index]);
      info_mask.push_back(frame.info_mask[index]);
    }
    frame.info = info.data();
    frame.info_mask = info_mask.data();
  }

  BatchView view_;
  std::vector<Column> info_, info_mask_, final_info_, final_info_mask_;
};

MixedGroup::MixedGroup(std::vector<TaskShare> tasks)
    : EnvGroup(SpecOf(tasks), tasks[0].group->config(), TraitsOf(tasks)),
      tasks_(TasksOf(std::move(tasks), spec_)),
      task_info_(static_cast<std::uint32_t>(spec_.infos.size()) - 1),
      task_of_env_(config_.num_envs) {
  std::uint32_t env = 0;
  for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
    tasks_[task].group->ShareSettings(settings_);
    while (env < tasks_[task].end) task_of_env_[env++] = task;
  }
  CollectAttributes();
}

void MixedGroup::CollectAttributes() {
  for (const AttributeSpec& spec : tasks_[0].group->Attributes(nullptr)) {
    std::vector<std::size_t> indices;
    for (const Task& task : tasks_) {
      const std::vector<AttributeSpec>& own = task.group->Attributes(nullptr);
      const auto found = std::ranges::find_if(
          own, [&](const AttributeSpec& other) { return HaveOneForm(spec, other); });
      if (found != own.end()) indices.push_back(static_cast<std::size_t>(found - own.begin()));
    }
    if (indices.size() < tasks_.size()) continue;
    attributes_.push_back(spec);
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      tasks_[task].attributes.push_back(indices[task]);
  }
}

std::vector<MixedGroup::Task> MixedGroup::TasksOf(std::vector<TaskShare> shares,
                                                  const EnvSpec& spec) {
  std::vector<Task> tasks;
  std::uint32_t end = 0;
  for (TaskShare& share : shares) {
    Task task{.group = std::move(share.group), .end = end += share.num_envs};
    std::vector<bool> own(spec.infos.size());
    bool in_order = true;
    for (const InfoSpec& info : task.group->spec().infos) {
      const std::uint32_t index = IndexOf(spec.infos, info);
      in_order = in_order && index == task.infos.size();
      own[index] = true;
      task.infos.push_back(index);
    }
    if (in_order) task.infos.clear();
    for (std::uint32_t index = 0; index + 1 < spec.infos.size(); ++index) {
      if (!own[index]) task.other_infos.push_back(index);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

template <class Stops, class Body>
std::uint32_t MixedGroup::ForRuns(const EnvRange& range, const Stops& stops, const Body& body) {
  std::uint32_t begin = range.begin;
  while (begin < range.end) {
    const std::uint32_t task = task_of_env_[range.Env(begin)];
    std::uint32_t end = begin + 1;
    while (end < range.end && task_of_env_[range.Env(end)] == task) ++end;
    const std::uint32_t done = body(tasks_[task], begin, end);
    for (std::uint32_t k = begin; k < begin + done; ++k) TakeStatus(tasks_[task], range.Env(k));
    begin += done;
    if (begin < end || (end < range.end && stops(begin))) break;
  }
  return begin - range.begin;
}

void MixedGroup::TakeStatus(const Task& task, std::uint32_t env) {
  const std::uint8_t status = task.group->status(env);
  if ((status & EnvStatus::kFailed) != 0) [[unlikely]] {
    StepCounts counted;  // by the task's group
    control_.Failed(env, task.group->FailureOf(env).c_str(), counted);
  } else if (status != control_.status(env)) {
    control_.SetStatus(env, status);
  }
}

void MixedGroup::CompleteInfos(const Task& task, std::uint32_t env, const FrameColumns& frame,
                               std::uint32_t row, bool set) const {
  for (const std::uint32_t info : task.other_infos) {
    std::memset(frame.info[info].Row(row), 0, frame.info[info].row_bytes);
    *reinterpret_cast<bool*>(frame.info_mask[info].Row(row)) = false;
  }
  const auto index = static_cast<std::int32_t>(task_of_env_[env]);
  std::memcpy(frame.info[task_info_].Row(row), &index, sizeof(index));
  *reinterpret_cast<bool*>(frame.info_mask[task_info_].Row(row)) = set;
}

std::unique_ptr<ResetStart> MixedGroup::ParseStarts(
    const std::vector<ParamValues>& of_tasks) const {
  auto starts = std::make_unique<Starts>();
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    starts->of_task.push_back(tasks_[task].group->ParseStart(of_tasks[task]));
  return starts;
}

void MixedGroup::CheckState(std::uint32_t env, std::string_view state,
                            const std::string& where) const {
  tasks_[task_of_env_[env]].group->CheckState(env, state, where);
}

const std::vector<AttributeSpec>& MixedGroup::Attributes(const EnvSetting* /*setting*/) const {
  return attributes_;
}

std::vector<double> MixedGroup::GetAttribute(std::uint32_t env, std::size_t index) const {
  const Task& task = tasks_[task_of_env_[env]];
  return task.group->GetAttribute(env, task.attributes[index]);
}

void MixedGroup::SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) {
  const Task& task = tasks_[task_of_env_[env]];
  task.group->SetAttribute(env, task.attributes[index], value);
}

void MixedGroup::Seed(std::uint32_t env, std::uint64_t seed) {
  tasks_[task_of_env_[env]].group->Seed(env, seed);
}

void MixedGroup::SeedFromEntropy(std::uint64_t high, std::uint64_t low) {
  for (const Task& task : tasks_) task.group->SeedFromEntropy(high, low);
}

void MixedGroup::Construct(std::uint32_t begin, std::uint32_t end) {
  std::uint32_t first = begin;
  for (const Task& task : tasks_) {
    const std::uint32_t last = std::min(end, task.end);
    if (first < last) {
      task.group->Construct(first, last);
      first = last;
    }
  }
}

std::string MixedGroup::SaveState(std::uint32_t env) const {
  return tasks_[task_of_env_[env]].group->SaveState(env);
}

std::uint32_t MixedGroup::StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                                   const StopCondition& stop, StepCounts& counts) {
  const auto stops = [&](std::uint32_t) { return stop.ShouldStop(); };
  return ForRuns(range, stops, [&](const Task& task, std::uint32_t begin, std::uint32_t end) {
    const TaskColumns columns(task, out);
    const EnvRange run{.ids = range.ids, .begin = begin, .end = end, .first_row = range.first_row};
    const std::uint32_t done = task.group->StepRows(run, actions, columns.view(), stop, counts);
    for (std::uint32_t k = begin; k < begin + done; ++k) {
      const std::uint32_t row = range.first_row + k;
      CompleteInfos(task, range.Env(k), out.frame, row, true);
      if (out.final_mask != nullptr && out.final_mask[row])
        CompleteInfos(task, range.Env(k), out.final_frame, row, true);
    }
    return done;
  });
}

std::uint32_t MixedGroup::ResetRows(const EnvRange& range, const ResetPlan& plan,
                                    const BatchView& out, const StopCondition& stop,
                                    StepCounts& counts) {
  const auto* const start = static_cast<const Starts*>(plan.start);
  const auto stops = [&](std::uint32_t) { return stop.ShouldStop(); };
  return ForRuns(range, stops, [&](const Task& task, std::uint32_t begin, std::uint32_t end) {
    const TaskColumns columns(task, out);
    const EnvRange run{.ids = range.ids, .begin = begin, .end = end, .first_row = range.first_row};
    ResetPlan own = plan;
    if (start != nullptr) own.start = start->of_task[task_of_env_[range.Env(begin)]].get();
    const std::uint32_t done = task.group->ResetRows(run, own, columns.view(), stop, counts);
    for (std::uint32_t k = begin; k < begin + done; ++k) {
      const bool resets = plan.states != nullptr || plan.mask == nullptr || plan.mask[k] != 0;
      CompleteInfos(task, range.Env(k), out.frame, range.first_row + k, resets);
    }
    return done;
  });
}

std::uint32_t MixedGroup::RenderRows(const EnvRange& range, std::uint8_t* pictures,
                                     const StopCondition& stop, StepCounts& counts) {
  const auto stops = [&](std::uint32_t) { return stop.ShouldStop(); };
  return ForRuns(range, stops, [&](const Task& task, std::uint32_t begin, std::uint32_t end) {
    // Scenes of different tasks may have different sizes.
    const std::size_t bytes = spec_.picture_bytes();
    const std::size_t own_bytes = task.group->spec().picture_bytes();
    if (bytes == own_bytes) {
      const EnvRange run{.ids = range.ids, .begin = begin, .end = end};
      return task.group->RenderRows(run, pictures, stop, counts);
    }
    for (std::uint32_t k = begin; k < end; ++k) {
      const EnvRange one{.ids = range.ids, .begin = k, .end = k + 1};
      std::fill_n(pictures + k * bytes, bytes, std::uint8_t{0});
      task.group->RenderRows(one, pictures + k * (bytes - own_bytes), stop, counts);
      if (stop.ShouldStop()) return k + 1 - begin;
    }
    return end - begin;
  });
}

std::uint32_t MixedGroup::StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                          const std::uint8_t* reset_flags, ActionSlots actions,
                                          const BatchView& pending_final_frame, Outcome* outcomes,
                                          const StopCondition& stop, StepCounts& counts) {
  const EnvRange all{.ids = ids, .begin = 0, .end = n};
  // `pending_final_frame` has one row.
  const auto stops = [&](std::uint32_t done) {
    return outcomes[done - 1].pending_final_frame || stop.ShouldStop();
  };
  return ForRuns(all, stops, [&](const Task& task, std::uint32_t begin, std::uint32_t end) {
    const TaskColumns columns(task, pending_final_frame);
    return task.group->StepWithoutRows(ids + begin, end - begin, reset_flags, actions,
                                       columns.view(), outcomes + begin, stop, counts);
  });
}

void MixedGroup::WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                           std::uint32_t first_row, const Outcome* outcomes,
                           const BatchView& pending_final_frame, const BatchView& out,
                           StepCounts& counts) {
  const EnvRange all{.ids = ids, .begin = 0, .end = n};
  const auto stops = [](std::uint32_t) { return false; };
  ForRuns(all, stops, [&](const Task& task, std::uint32_t begin, std::uint32_t end) {
    const TaskColumns columns(task, out);
    const TaskColumns pending(task, pending_final_frame);
    task.group->WriteRows(ids + begin, end - begin, rows == nullptr ? nullptr : rows + begin,
                          first_row + begin, outcomes + begin, pending.view(), columns.view(),
                          counts);
    for (std::uint32_t k = begin; k < end; ++k) {
      const std::uint32_t row = rows == nullptr ? first_row + k : rows[k];
      CompleteInfos(task, ids[k], out.frame, row, true);
      if (out.final_mask != nullptr && out.final_mask[row])
        CompleteInfos(task, ids[k], out.final_frame, row, true);
    }
    return end - begin;
  });
}

}  // namespace engine
