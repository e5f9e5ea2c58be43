// Checks the user's actions against the action space and copies them into one slot per environment,
// where workers read them. Called by the pool on the caller's thread.
#ifndef ENGINE_BATCH_ACTION_STAGING_H_
#define ENGINE_BATCH_ACTION_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/env/env_group.h"
#include "engine/env/spec.h"

namespace engine {

// A C-contiguous array in native byte order; `data` need not be aligned.
struct ArrayView {
  const std::byte* data = nullptr;
  DType dtype = DType::kInt64;
  const std::int64_t* shape = nullptr;
  std::size_t num_dims = 0;
};

// In the form in which Python prints a tuple.
std::string ShapeToString(const std::int64_t* shape, std::size_t num_dims);

class ActionStaging {
 public:
  ActionStaging(const EnvSpec& spec, std::uint32_t num_envs);

  ActionSlots slots() const { return {storage_.get(), slot_bytes_}; }
  const SpaceSpec& space() const { return space_; }

  // Checks `n` rows and copies row k into the slot of environment ids[k] (k
  // where ids is null).
  // Throws Error{kInput} for a wrong shape or value, Error{kInputType} for a dtype that does not
  // convert. The given slots are then undefined (nobody reads the slot of an idle environment);
  // others are unchanged.
  void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n);

 private:
  struct Deleter {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(kCacheLineBytes));
    }
  };

  void CheckShape(const ArrayView& actions, std::uint32_t n) const;
  template <class Source, class Target>
  void Copy(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n);
  template <class Source, class Target>
  [[noreturn]] void ThrowOutOfRange(const ArrayView& actions, const std::uint32_t* ids,
                                    std::uint32_t n) const;
  [[noreturn]] void ThrowWrongDType(DType dtype) const;
  // Whether values of this dtype are accepted as actions.
  bool Convertible(DType from) const;

  const SpaceSpec space_;
  const bool check_bounds_;
  const std::size_t elements_;  // of one action
  const std::size_t slot_bytes_;
  // Inclusive bounds in the space's dtype, one for all elements or one each.
  std::vector<std::byte> low_, high_;
  const std::unique_ptr<std::byte[], Deleter> storage_;
};

}  // namespace engine

#endif  // ENGINE_BATCH_ACTION_STAGING_H_
