// Constructor options of single environments. The environments of a group are made with the group's
// own setting, unless they are given another one. Equal options are one setting, which the
// environments share: a setting owns what depends on options alone, such as a model or a map.
#ifndef ENGINE_GROUP_ENV_SETTINGS_H_
#define ENGINE_GROUP_ENV_SETTINGS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/env/attributes.h"
#include "engine/env/params.h"

namespace engine {

// The checked options in the environment's own form. Immutable once it is shared. Any thread.
struct EnvSetting {
  EnvSetting() = default;
  EnvSetting(const EnvSetting&) = delete;
  EnvSetting& operator=(const EnvSetting&) = delete;
  virtual ~EnvSetting() = default;

  // Why an environment of the group whose own setting this is cannot have `other`; "" if it can.
  virtual std::string WhyNot(const EnvSetting& other) const = 0;

  // The options by name. Set by the code that makes groups, because some classes do not keep them.
  ParamValues options{std::vector<std::pair<std::string, ParamValue>>{}};
  std::string text;  // OptionsText(options): equal if the options are equal
  // Of the environments, with the values that follow from the options.
  std::vector<AttributeSpec> attributes;
};

using EnvSettingPtr = std::shared_ptr<const EnvSetting>;
// An environment and a setting; null: the own setting of its group.
using SettingOfEnv = std::pair<std::uint32_t, EnvSettingPtr>;

// The settings of environments that have another one than the group: the current one, and the one
// that takes its place at the next reset. A pool whose environments do not differ has no memory
// here.
class EnvSettings {
 public:
  EnvSettings() = default;
  ~EnvSettings() { delete[] slots_.load(std::memory_order_relaxed); }
  EnvSettings(const EnvSettings&) = delete;
  EnvSettings& operator=(const EnvSettings&) = delete;

  // Allocates the memory, so that SetNext cannot fail. Any thread.
  void Prepare(std::uint32_t num_envs) {
    const ScopedLock lock(mutex_);
    if (slots_.load(std::memory_order_relaxed) != nullptr) return;
    slots_.store(new Slot[num_envs], std::memory_order_release);  // pairs with slots()
  }

  // Whether Prepare was called. Any thread.
  bool used() const { return slots() != nullptr; }

  // Sets what the next reset takes over; a reset that runs meanwhile, or the one after it. Any
  // thread.
  // Requires: Prepare was called.
  void SetNext(std::uint32_t env, EnvSettingPtr setting) noexcept {
    const ScopedLock lock(mutex_);
    slots()[env].next.swap(setting);
    if (setting == nullptr) num_next_.fetch_add(1, std::memory_order_relaxed);
  }

  // The setting that the environment will have after its next reset; null: the group's own. Any
  // thread.
  EnvSettingPtr Next(std::uint32_t env) const {
    const ScopedLock lock(mutex_);
    if (slots() == nullptr) return nullptr;
    const Slot& slot = slots()[env];
    return slot.next != nullptr ? slot.next : slot.current;
  }

  // Makes current what SetNext has set, and moves the setting that it replaces to `replaced`.
  // Returns whether there was anything. On the thread that holds the environment.
  bool TakeOver(std::uint32_t env, EnvSettingPtr& replaced) noexcept {
    // Relaxed: if SetNext happened before this call, the load cannot return an older count. The
    // mutex orders everything else.
    if (num_next_.load(std::memory_order_relaxed) == 0) [[likely]]
      return false;
    const ScopedLock lock(mutex_);
    Slot& slot = slots()[env];
    if (slot.next == nullptr) return false;
    replaced = std::exchange(slot.current, std::exchange(slot.next, nullptr));
    num_next_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }

  // What SetNext has set since the latest reset, or null. Any thread.
  EnvSettingPtr Pending(std::uint32_t env) const {
    if (num_next_.load(std::memory_order_relaxed) == 0) [[likely]]  // as in TakeOver
      return nullptr;
    const ScopedLock lock(mutex_);
    return slots()[env].next;
  }
  // Records that the environment has taken over a setting that was pending. Another one may be
  // pending since. On the thread that holds the environment.
  void Took(std::uint32_t env, const EnvSettingPtr& setting) noexcept {
    EnvSettingPtr replaced = setting;
    const ScopedLock lock(mutex_);
    Slot& slot = slots()[env];
    slot.current.swap(replaced);
    if (slot.next != slot.current) return;
    slot.next = nullptr;
    num_next_.fetch_sub(1, std::memory_order_relaxed);
  }

  // The current setting; null: the group's own. On the thread that holds the environment.
  const EnvSettingPtr& Current(std::uint32_t env) const {
    static const EnvSettingPtr kOwn;
    return slots() == nullptr ? kOwn : slots()[env].current;
  }

 private:
  struct Slot {
    // Changed with the mutex, by the thread that holds the environment, which reads it without.
    EnvSettingPtr current;
    EnvSettingPtr next;  // guarded by the mutex
  };

  Slot* slots() const { return slots_.load(std::memory_order_acquire); }  // pairs with Prepare

  mutable Mutex mutex_;
  std::atomic<Slot*> slots_{nullptr};
  std::atomic<std::uint32_t> num_next_{0};  // slots with `next`
};

}  // namespace engine

#endif  // ENGINE_GROUP_ENV_SETTINGS_H_
