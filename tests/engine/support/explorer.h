// The source of the scheduler's choices: a depth-first search, a random generator, or a recorded
// list. Only schedule.cc uses it.
#ifndef ENGINE_TESTS_SUPPORT_EXPLORER_H_
#define ENGINE_TESTS_SUPPORT_EXPLORER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/engine/support/schedule.h"
#include "tests/engine/support/vector_clock.h"

namespace engine::testing {

// The bound of ExploreAll that an alternative counts against.
enum class Cost : std::uint8_t { kFree, kPreemption, kStale, kDisturbance };
inline constexpr std::size_t kNumCosts = 4;

enum class Action : std::uint8_t { kRun, kTimeOut, kSpuriousWake, kInterrupt };

struct Alternative {
  std::uint8_t thread = 0;  // only for ChooseThread()
  Action action = Action::kRun;
  bool paused = false;  // waits for the progress of another thread
  Cost cost = Cost::kFree;
};

class Explorer {
 public:
  virtual ~Explorer() = default;
  // Must be called before each execution.
  virtual void Begin() = 0;
  // Returns the index of the alternative to take: the thread that continues, or an outcome of an
  // operation. `from` has at least two alternatives, and the first one is free.
  virtual std::size_t ChooseThread(std::span<const Alternative> from) = 0;
  virtual std::size_t ChooseOutcome(std::span<const Alternative> from) = 0;
  // `thread` has called Pause or repeatedly loads the same values.
  virtual void OnPause(std::size_t /*thread*/) {}
};

// All choices within bounds, in depth-first order.
class DepthFirstExplorer final : public Explorer {
 public:
  DepthFirstExplorer(const ExploreOptions& options, int preemption_bound);

  void Begin() override { depth_ = 0; }
  std::size_t ChooseThread(std::span<const Alternative> from) override { return Choose(from); }
  std::size_t ChooseOutcome(std::span<const Alternative> from) override { return Choose(from); }

  // Advances to the next schedule. Returns false after the last one.
  bool Advance();

 private:
  static constexpr std::size_t kMaxAlternatives = 4 * kMaxThreads;
  struct Choice {
    std::uint8_t count = 0;
    std::uint8_t chosen = 0;
    std::array<Cost, kMaxAlternatives> costs{};
  };

  std::size_t Choose(std::span<const Alternative> from);
  bool Affordable(Cost cost) const;

  std::array<int, kNumCosts> bounds_;
  std::array<int, kNumCosts> spent_{};  // by the choices in path_
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
};

class RandomExplorer final : public Explorer {
 public:
  explicit RandomExplorer(std::uint64_t seed);

  void Begin() override {}
  std::size_t ChooseThread(std::span<const Alternative> from) override;
  std::size_t ChooseOutcome(std::span<const Alternative> from) override;
  void OnPause(std::size_t thread) override;

 private:
  enum class Strategy { kUniform, kSticky, kPriorities };

  std::uint64_t Below(std::uint64_t bound);
  std::size_t ByPriority(std::span<const Alternative> from, std::span<const std::size_t> eligible);

  std::uint64_t state_;
  Strategy strategy_;
  std::uint64_t choices_made_ = 0;
  std::array<std::int64_t, kMaxThreads> priorities_{};
  std::int64_t lowest_priority_ = 0;
  std::vector<std::uint64_t> change_points_;
};

// Returns the recorded choices, and after them always the first alternative.
class ReplayExplorer final : public Explorer {
 public:
  explicit ReplayExplorer(const Choices& choices) : choices_(choices) {}

  void Begin() override { next_ = 0; }
  std::size_t ChooseThread(std::span<const Alternative> from) override { return Choose(from); }
  std::size_t ChooseOutcome(std::span<const Alternative> from) override { return Choose(from); }

 private:
  std::size_t Choose(std::span<const Alternative> from);

  const Choices choices_;
  std::size_t next_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_EXPLORER_H_
