// Discrete events: coroutines that wait for points in simulated time. One real thread.
#ifndef ENGINE_BENCHMARKS_SIMULATE_EVENT_LOOP_H_
#define ENGINE_BENCHMARKS_SIMULATE_EVENT_LOOP_H_

#include <coroutine>
#include <cstdint>
#include <exception>
#include <queue>
#include <utility>
#include <vector>

namespace engine::simulate {

// A function that may wait; it runs when it is awaited, or as a process of its own (Loop::Start).
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::coroutine_handle<> waiter;

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Resume {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          const std::coroutine_handle<> next = self.promise().waiter;
          return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Resume{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() const {
    struct Awaiter {
      std::coroutine_handle<promise_type> task;
      bool await_ready() const { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const {
        task.promise().waiter = waiter;
        return task;
      }
      void await_resume() const {}
    };
    return Awaiter{handle_};
  }

 private:
  friend class Loop;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

class Loop {
 public:
  double now() const { return now_; }  // ns

  void ResumeAt(double time, std::coroutine_handle<> handle) {
    events_.push({time, next_number_++, handle});
  }
  // Keeps the process until this object ends.
  void Start(Task process) {
    ResumeAt(now_, process.handle_);
    processes_.push_back(std::move(process));
  }
  void RunUntil(double end) {
    while (!events_.empty() && events_.top().time <= end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.handle.resume();
    }
    now_ = end;
  }

  // co_await loop.Until(time), loop.For(ns)
  auto Until(double time) {
    struct Awaiter {
      Loop& loop;
      double time;
      bool await_ready() const { return time <= loop.now_; }
      void await_suspend(std::coroutine_handle<> handle) const { loop.ResumeAt(time, handle); }
      void await_resume() const {}
    };
    return Awaiter{*this, time};
  }
  auto For(double ns) { return Until(now_ + ns); }

 private:
  struct Event {
    double time;
    std::uint64_t number;  // events of the same time run in the order in which they were added
    std::coroutine_handle<> handle;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  double now_ = 0.0;
  std::uint64_t next_number_ = 0;
  std::priority_queue<Event> events_;
  std::vector<Task> processes_;
};

}  // namespace engine::simulate

#endif  // ENGINE_BENCHMARKS_SIMULATE_EVENT_LOOP_H_
