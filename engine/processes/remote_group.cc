#include "engine/processes/remote_group.h"

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"

namespace engine {
namespace {

[[noreturn]] void ThrowRemote() {
  throw Error(ErrorKind::kInternal, "these environments belong to worker processes");
}

}  // namespace

void RemoteGroup::Adopt(std::uint32_t env, StepCounts& counts) {
  const EnvMail& mail = state_.mail(env);
  if (mail.failed) {
    const std::string what(reinterpret_cast<const char*>(state_.outbox(env)), mail.out_bytes);
    control_.Failed(env, what.c_str(), counts);
    return;
  }
  control_.Adopt(env, mail.status);
  counts.episodes += mail.ended ? 1 : 0;
  counts.games += mail.game_over ? 1 : 0;
}

void RemoteGroup::WriteFailed(std::uint32_t env, std::uint32_t row, const std::string& why,
                              const BatchView& out) {
  WriteFailedRow(env, EpisodeProgress{}, row, out);
  EnvMail& mail = state_.mail(env);
  mail.failed = true;
  mail.has_object = false;
  mail.out_bytes = std::min<std::uint64_t>(why.size(), state_.geometry().box_bytes);
  std::memcpy(state_.outbox(env), why.data(), mail.out_bytes);
}

void RemoteGroup::ReportFailedCall(std::uint32_t env, const std::string& why) {
  EnvMail& mail = state_.mail(env);
  const std::string text = kFailedCall + why;
  mail.has_object = true;
  mail.out_bytes = std::min<std::uint64_t>(text.size(), state_.geometry().box_bytes);
  std::memcpy(state_.outbox(env), text.data(), mail.out_bytes);
}

void RemoteGroup::TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                              std::vector<RowObject>& objects) {
  const auto env_of = [ids](std::uint32_t k) { return ids == nullptr ? k : ids[k]; };
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    const EnvMail& mail = state_.mail(env_of(k));
    if (!mail.has_object) continue;
    bytes += mail.out_bytes;
    ++count;
  }
  if (count == 0) return;
  objects.reserve(objects.size() + count);
  // One allocation for all.
  const auto copies = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::byte* to = copies.get();
  for (std::uint32_t k = 0; k < n; ++k) {
    EnvMail& mail = state_.mail(env_of(k));
    if (!std::exchange(mail.has_object, false)) continue;
    std::memcpy(to, state_.outbox(env_of(k)), mail.out_bytes);
    objects.push_back({.row = k, .value = {copies, to}, .bytes = mail.out_bytes});
    to += mail.out_bytes;
  }
}

void RemoteGroup::Construct(std::uint32_t /*begin*/, std::uint32_t /*end*/) { ThrowRemote(); }
std::unique_ptr<ResetStart> RemoteGroup::ParseStart(const ParamValues& /*options*/) const {
  ThrowRemote();
}
std::uint32_t RemoteGroup::StepRows(const EnvRange& /*range*/, ActionSlots /*actions*/,
                                    const BatchView& /*out*/, const Pace& /*pace*/,
                                    StepCounts& /*counts*/) {
  ThrowRemote();
}
std::uint32_t RemoteGroup::ResetRows(const EnvRange& /*range*/, const ResetPlan& /*plan*/,
                                     const BatchView& /*out*/, const Pace& /*pace*/,
                                     StepCounts& /*counts*/) {
  ThrowRemote();
}
std::uint32_t RemoteGroup::RenderRows(const EnvRange& /*range*/, std::uint8_t* /*pictures*/,
                                      const Pace& /*pace*/, StepCounts& /*counts*/) {
  ThrowRemote();
}
std::uint32_t RemoteGroup::StepUnplaced(const std::uint32_t* /*ids*/, std::uint32_t /*n*/,
                                        const std::uint8_t* /*reset_flags*/,
                                        ActionSlots /*actions*/, const BatchView& /*frame*/,
                                        Outcome* /*outcomes*/, const Pace& /*pace*/,
                                        StepCounts& /*counts*/) {
  ThrowRemote();
}
void RemoteGroup::WriteRows(const std::uint32_t* /*ids*/, std::uint32_t /*n*/,
                            const std::uint32_t* /*rows*/, std::uint32_t /*first_row*/,
                            const Outcome* /*outcomes*/, const BatchView& /*frame*/,
                            const BatchView& /*out*/, StepCounts& /*counts*/) {
  ThrowRemote();
}

}  // namespace engine
