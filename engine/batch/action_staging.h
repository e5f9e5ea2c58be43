// Checks the user's actions against the action space and copies them into slots, where workers read
// them: one slot per environment or, with players, one per player. Called by the pool on the
// caller's thread, one call at a time.
#ifndef ENGINE_BATCH_ACTION_STAGING_H_
#define ENGINE_BATCH_ACTION_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/env/spec.h"
#include "engine/group/env_group.h"

namespace engine {

// A C-contiguous array in native byte order; `data` need not be aligned.
struct ArrayView {
  const std::byte* data = nullptr;
  DType dtype = DType::kInt64;
  const std::int64_t* shape = nullptr;
  std::size_t num_dims = 0;
  // For actions that are not a single array: the structure that the ActionSink of the pool expects.
  const void* tree = nullptr;
  const char* name = "actions";  // in messages about actions
};

// The shape in the form in which Python prints a tuple.
std::string ShapeToString(const std::int64_t* shape, std::size_t num_dims);

// Stores actions until the executor steps their environments. Depending on the kind of environment,
// actions are one array or several (`ArrayView::tree`); the caller of the pool passes the right
// form.
class ActionSink {
 public:
  virtual ~ActionSink() = default;
  // Checks and stores `n` actions; row k is for environment ids[k] (k if ids is null). Throws
  // Error{kInput} or Error{kInputType}.
  virtual void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) = 0;
  // The stored actions, for the code that steps the environments.
  virtual ActionSlots slots() const = 0;
};

class ActionStaging final : public ActionSink {
 public:
  // `keeps_float64`: if the space is a float32 box, actions of another dtype are staged in float64.
  ActionStaging(const EnvSpec& spec, std::uint32_t num_envs, bool keeps_float64)
      : ActionStaging(spec.action, spec.action_out_of_bounds, num_envs, keeps_float64) {}
  // For one leaf of an action space. `rows_per_env` is used in messages only. 0: each slot belongs
  // to an environment. Otherwise each slot belongs to a player, and `rows_per_env` is the number of
  // players of an environment.
  ActionStaging(const SpaceSpec& leaf, OutOfBounds out_of_bounds, std::uint32_t num_slots,
                bool keeps_float64, std::uint32_t rows_per_env = 0);

  ActionSlots slots() const override {
    return {.base = native_.storage.get(),
            .bytes = native_.slot_bytes,
            .dtype = space_.dtype,
            .float64_base = float64_.storage.get(),
            .is_float64 = is_float64_.data()};
  }
  // The same slots as a column, for environments that read an ActionRow.
  ActionColumn column() const;
  const SpaceSpec& space() const { return space_; }

  // Checks `n` rows and copies row k into the slot of environment ids[k] (k where ids is null).
  // Throws Error{kInput} for a wrong shape or value, and Error{kInputType} for a dtype that does
  // not convert. The slots of these environments are then undefined, which is harmless because
  // slots of idle environments are not read. Other slots are unchanged.
  void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) override;

 private:
  struct Deleter {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(kCacheLineBytes));
    }
  };

  // The slots, in one dtype.
  struct Slots {
    // Inclusive bounds in that dtype: one for all elements, or one for each.
    std::vector<std::byte> low, high;
    std::size_t slot_bytes = 0;
    std::unique_ptr<std::byte[], Deleter> storage;

    void Allocate(std::size_t bytes, std::uint32_t num_slots);
  };

  void CheckShape(const ArrayView& actions, std::uint32_t n) const;
  template <class Source, class Target>
  void Copy(const Slots& slots, const ArrayView& actions, const std::uint32_t* ids,
            std::uint32_t n) const;
  using ElementConverter = bool (*)(const std::byte* value, bool check_bounds, const std::byte* low,
                                    const std::byte* high, std::byte* out);
  void CopyElements(const Slots& slots, DType target, ElementConverter convert,
                    const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) const;
  [[noreturn]] void ThrowOutOfRange(const std::string& element, std::uint32_t slot,
                                    const std::string& low, const std::string& high,
                                    const std::string& value) const;
  void Mark(const std::uint32_t* ids, std::uint32_t n, bool is_float64);
  [[noreturn]] void ThrowWrongDType(const ArrayView& actions) const;
  // The environment or player to which a slot belongs, for messages.
  std::string OwnerOf(std::uint32_t slot) const;
  // Whether values of this dtype are accepted as actions.
  bool Convertible(DType from) const;

  const SpaceSpec space_;
  const bool check_bounds_;
  const std::size_t elements_;  // of one action
  const std::uint32_t rows_per_env_;
  Slots native_;   // in the space's dtype
  Slots float64_;  // only if float64 is kept; not initialized, so unused pages take no memory
  // Per slot, whether its action is in `float64_`; empty if float64 is not kept.
  std::vector<std::uint8_t> is_float64_;
  bool any_float64_ = false;  // whether any flag in is_float64_ may be set
};

}  // namespace engine

#endif  // ENGINE_BATCH_ACTION_STAGING_H_
