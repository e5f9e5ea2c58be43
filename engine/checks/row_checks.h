// Compares the bytes that an environment has written into one array of a row with the array's
// description. Used by CheckedGroup. Slow. Does not depend on pools or threads.
#ifndef ENGINE_CHECKS_ROW_CHECKS_H_
#define ENGINE_CHECKS_ROW_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/env/spec.h"

namespace engine {

// Memory for one array of a row between two guards, filled with a byte pattern. There are two
// patterns, one for each time that a row is written (Look); they differ in every byte and have no
// period.
class GuardedArray {
 public:
  enum class Look : std::uint8_t { kFirst, kSecond };

  explicit GuardedArray(std::size_t bytes);
  // `rows` arrays of `bytes` bytes at equal distances, each with guard bytes on both sides.
  static std::vector<GuardedArray> Rows(std::size_t bytes, std::size_t rows);
  // Writes the pattern into the array and its guards.
  void Fill(Look look);

  // Aligned for every element type.
  std::byte* data() { return memory_.get() + kBefore; }
  const std::byte* data() const { return memory_.get() + kBefore; }
  std::size_t bytes() const { return bytes_; }
  // Whether byte `i` of the array still has the pattern.
  bool Untouched(std::size_t i) const { return data()[i] == Pattern(kBefore + i); }
  // Whether something wrote before or behind the array.
  bool GuardsAreIntact() const;

 private:
  static constexpr std::size_t kBefore = 64;
  static std::size_t WithGuards(std::size_t bytes);
  GuardedArray(std::size_t bytes, std::shared_ptr<std::byte[]> memory);
  std::byte Pattern(std::size_t i) const;

  std::size_t bytes_;
  std::size_t all_bytes_;  // with the guards
  Look look_ = Look::kFirst;
  std::shared_ptr<std::byte[]> memory_;  // the arrays of Rows() share one block
};

// One array of a row, as the spec describes it.
struct ArrayDescription {
  std::string name;  // for messages: observation["speed"], info "slips"
  DType dtype = DType::kFloat32;
  Shape shape;
  const SpaceSpec* space = nullptr;  // null: no bounds
};

// The leaves of an observation space, depth first.
std::vector<ArrayDescription> DescribeLeaves(const SpaceSpec& space, const std::string& name);

// Returns the first mistake in an array that was written twice for the same state, or "". `second`
// is null if the array could be written only once. Checks that the whole array is written and no
// guard is, that both versions have the same values, and that these values fit the description.
std::string MistakeIn(const ArrayDescription& array, const GuardedArray& first,
                      const GuardedArray* second);

}  // namespace engine

#endif  // ENGINE_CHECKS_ROW_CHECKS_H_
