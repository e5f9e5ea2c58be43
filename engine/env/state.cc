#include "engine/env/state.h"

#include "engine/base/error.h"

namespace engine {

void StateReader::ExpectEnd() const {
  if (rest_.empty()) return;
  throw Error(ErrorKind::kState, "the state has " + std::to_string(rest_.size()) +
                                     " bytes more than Load reads: Save and Load differ");
}

std::size_t StateReader::TakeCount(std::size_t element_bytes) {
  const auto count = Get<std::uint64_t>();
  if (count > rest_.size() / element_bytes) ThrowTooShort(rest_.size() + 1);
  return static_cast<std::size_t>(count);
}

void StateReader::ThrowTooShort(std::size_t bytes) const {
  throw Error(ErrorKind::kState, "the state ends too early: expected " + std::to_string(bytes) +
                                     " more bytes or more, got " + std::to_string(rest_.size()));
}

void StateReader::ThrowOtherCount(std::size_t expected, std::size_t got) {
  throw Error(ErrorKind::kState, "the state has an array of " + std::to_string(got) +
                                     " elements, and Load expects " + std::to_string(expected));
}

void StateReader::ThrowOutside(const char* name, const std::string& got, const std::string& low,
                               const std::string& high) {
  throw Error(ErrorKind::kState, std::string("the state has ") + name + " " + got +
                                     ", and Load expects " + low + " to " + high);
}

void ThrowOtherState(const char* what) {
  throw Error(ErrorKind::kState,
              std::string("the state has ") + what + " that Save does not write");
}

}  // namespace engine
