// The cost of CartPole without an engine: one plain loop per thread over its own environments, no
// queues, no Python, results written to plain arrays. It is an approximate upper limit for the
// engine's rate.
//
// benchmarks/plain_loop.py compiles and runs it, in turn with the libraries,
// and reads one measurement as JSON (envpool_py/cli/bench/sample.py) from stdout.
// Threads share only the start and stop flags.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <span>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// The constants and equations of gymnasium's CartPole-v1, after Barto, Sutton
// and Anderson (1983).
constexpr double kGravity = 9.8;                                 // m/s^2
constexpr double kMassPole = 0.1;                                // kg
constexpr double kMassTotal = 1.1;                               // kg, pole and cart
constexpr double kHalfLength = 0.5;                              // m
constexpr double kForce = 10.0;                                  // N
constexpr double kTimeStep = 0.02;                               // s
constexpr double kPositionLimit = 2.4;                           // m
constexpr double kAngleLimit = 24.0 * std::numbers::pi / 360.0;  // rad
constexpr double kStartRange = 0.05;  // of each state variable, either side
constexpr int kMaxSteps = 500;

// Action batches are repeated after this many, as the libraries' are.
constexpr std::size_t kBatches = 64;
// Environment steps between two looks at the stop flag.
constexpr std::size_t kStepsPerLook = 4096;

// A short generator (xorshift64*): resets must not dominate a loop that is to
// show what the steps cost.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint64_t Next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

  // Uniform in [-kStartRange, kStartRange).
  double Start() { return (static_cast<double>(Next() >> 11) * 0x1p-52 - 1.0) * kStartRange; }

 private:
  std::uint64_t state_;
};

struct CartPole {
  double position = 0.0;          // m
  double velocity = 0.0;          // m/s
  double angle = 0.0;             // rad
  double angular_velocity = 0.0;  // rad/s
  int steps = 0;
  bool done = true;

  void Reset(Random& random) {
    position = random.Start();
    velocity = random.Start();
    angle = random.Start();
    angular_velocity = random.Start();
    steps = 0;
    done = false;
  }

  // Returns whether the pole fell or the cart left the track.
  bool Step(std::int64_t action) {
    const double force = action == 1 ? kForce : -kForce;
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const double push =
        (force + kMassPole * kHalfLength * angular_velocity * angular_velocity * sine) / kMassTotal;
    const double angular_acceleration =
        (kGravity * sine - cosine * push) /
        (kHalfLength * (4.0 / 3.0 - kMassPole * cosine * cosine / kMassTotal));
    const double acceleration =
        push - kMassPole * kHalfLength * angular_acceleration * cosine / kMassTotal;
    position += kTimeStep * velocity;
    velocity += kTimeStep * acceleration;
    angle += kTimeStep * angular_velocity;
    angular_velocity += kTimeStep * angular_acceleration;
    ++steps;
    return std::abs(position) > kPositionLimit || std::abs(angle) > kAngleLimit;
  }
};

// One thread's environments and the arrays that their results go to.
class Loop {
 public:
  Loop(std::size_t num_envs, std::uint64_t seed)
      : random_(seed),
        envs_(num_envs),
        actions_(num_envs * kBatches),
        observations_(num_envs * 4),
        rewards_(num_envs),
        terminated_(num_envs),
        truncated_(num_envs) {
    for (std::int64_t& action : actions_) action = static_cast<std::int64_t>(random_.Next() >> 63);
  }

  // Steps every environment, again and again, until `stop`; returns the sweeps.
  std::uint64_t Run(const std::atomic<bool>& stop) {
    const std::size_t sweeps_per_look = kStepsPerLook / envs_.size() + 1;
    std::uint64_t sweeps = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      for (std::size_t i = 0; i < sweeps_per_look; ++i, ++sweeps) {
        Sweep(std::span(actions_).subspan(sweeps % kBatches * envs_.size(), envs_.size()));
      }
    }
    return sweeps;
  }

 private:
  void Sweep(std::span<const std::int64_t> actions) {
    for (std::size_t i = 0; i < envs_.size(); ++i) {
      CartPole& env = envs_[i];
      bool fell = false;
      if (env.done) {
        env.Reset(random_);
        rewards_[i] = 0.0;
      } else {
        fell = env.Step(actions[i]);
        rewards_[i] = 1.0;
      }
      const bool late = env.steps >= kMaxSteps;
      env.done = fell || late;
      terminated_[i] = static_cast<std::uint8_t>(fell);
      truncated_[i] = static_cast<std::uint8_t>(late);
      float* row = &observations_[i * 4];
      row[0] = static_cast<float>(env.position);
      row[1] = static_cast<float>(env.velocity);
      row[2] = static_cast<float>(env.angle);
      row[3] = static_cast<float>(env.angular_velocity);
    }
  }

  Random random_;
  std::vector<CartPole> envs_;
  std::vector<std::int64_t> actions_;
  std::vector<float> observations_;
  std::vector<double> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
};

struct Measured {
  std::uint64_t rows = 0;
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;
};

std::int64_t CpuNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Splits the environments over the threads and lets all run for `seconds`.
Measured Measure(std::size_t num_envs, std::size_t num_threads, double seconds) {
  std::atomic<bool> start{false};
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> ready{0};
  std::atomic<std::uint64_t> rows{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < num_threads; ++thread) {
    const std::size_t share = num_envs / num_threads + (thread < num_envs % num_threads ? 1 : 0);
    threads.emplace_back([&, share, thread] {
      Loop loop(share, thread + 1);
      ready.fetch_add(1, std::memory_order_relaxed);
      start.wait(false, std::memory_order_relaxed);
      // Join publishes `rows` to the thread that reads it.
      rows.fetch_add(loop.Run(stop) * share, std::memory_order_relaxed);
    });
  }
  while (ready.load(std::memory_order_relaxed) < num_threads) std::this_thread::yield();
  const std::int64_t cpu_start = CpuNs();
  const Clock::time_point begin = Clock::now();
  start.store(true, std::memory_order_relaxed);
  start.notify_all();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& thread : threads) thread.join();
  Measured measured;
  measured.wall_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  measured.cpu_ns = CpuNs() - cpu_start;
  measured.rows = rows.load(std::memory_order_relaxed);
  return measured;
}

}  // namespace

// Arguments: environments, threads, seconds, warm-up seconds.
int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s NUM_ENVS NUM_THREADS SECONDS WARMUP_SECONDS\n", argv[0]);
    return 2;
  }
  const std::size_t num_envs = std::strtoull(argv[1], nullptr, 10);
  const std::size_t asked = std::strtoull(argv[2], nullptr, 10);
  const double seconds = std::strtod(argv[3], nullptr);
  const double warmup_seconds = std::strtod(argv[4], nullptr);
  if (num_envs < 1 || asked < 1 || !(seconds > 0.0) || !(warmup_seconds >= 0.0)) {
    std::fprintf(stderr, "expected counts of at least 1 and times above 0\n");
    return 2;
  }
  const std::size_t num_threads = asked < num_envs ? asked : num_envs;
  Measure(num_envs, num_threads, warmup_seconds);
  const Measured measured = Measure(num_envs, num_threads, seconds);
  const std::uint64_t sweeps = measured.rows / num_envs;
  std::printf(
      "{\"status\": \"ok\", \"sample\": {\"calls\": %llu, \"rows\": %llu, \"wall_ns\": %lld, "
      "\"cpu_ns\": %lld}}\n",
      static_cast<unsigned long long>(sweeps > 0 ? sweeps : 1),
      static_cast<unsigned long long>(measured.rows), static_cast<long long>(measured.wall_ns),
      static_cast<long long>(measured.cpu_ns));
  return 0;
}
