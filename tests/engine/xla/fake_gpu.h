// A simulated GPU with CUDA's driver. Copies and kernels run as late as the driver's rules allow:
// when somebody waits for their stream. A pointer to its memory is not an address of this process,
// so a program that reads or writes through one crashes. One at a time; any thread.
#ifndef ENGINE_TESTS_ENGINE_XLA_FAKE_GPU_H_
#define ENGINE_TESTS_ENGINE_XLA_FAKE_GPU_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/xla/cuda_driver.h"

namespace engine::testing {

class FakeGpu {
 public:
  using Driver = xla::CudaDriver;

  struct Context {};
  struct Stream {
    Context* context = nullptr;
    std::deque<std::function<void()>> work = {};
    std::size_t ended = 0;  // number of entries that have run
  };

  FakeGpu() { current_gpu = this; }
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;
  ~FakeGpu() { current_gpu = nullptr; }

  Context* NewContext() { return &contexts_.emplace_back(); }
  Stream* NewStream(Context* context) { return &streams_.emplace_back(Stream{context}); }

  // Enqueues a kernel.
  void Enqueue(Stream* stream, std::function<void()> kernel) {
    const std::lock_guard lock(mutex_);
    stream->work.push_back(std::move(kernel));
  }
  void Synchronize(Stream* stream) {
    const std::lock_guard lock(mutex_);
    RunUntil(*stream, stream->ended + stream->work.size());
  }
  std::size_t pending(Stream* stream) {
    const std::lock_guard lock(mutex_);
    return stream->work.size();
  }
  // The function of the driver that fails from now on, such as "mem_host_alloc"; "": none.
  void Fail(std::string function) {
    const std::lock_guard lock(mutex_);
    failing_ = std::move(function);
  }
  std::size_t page_locked_blocks() const { return page_locked_.size(); }
  std::size_t copies() const { return copies_; }

  // The address on the GPU of memory that plays the GPU's memory, and the reverse.
  static std::byte* AddressOf(void* memory) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(memory) ^ kTag);
  }
  static std::byte* MemoryAt(Driver::Address address) {
    return reinterpret_cast<std::byte*>(address ^ kTag);
  }

  Driver driver() {
    Driver made;
    made.stream_get_ctx = [](void* stream, void** context) {
      *context = static_cast<Stream*>(stream)->context;
      return Do("stream_get_ctx", false, [] { return true; });
    };
    made.ctx_push_current = [](void* context) {
      const int result = Do("ctx_push_current", false, [] { return true; });
      if (result == 0) current_contexts.push_back(context);
      return result;
    };
    made.ctx_pop_current = [](void** context) {
      if (current_contexts.empty()) return kInvalid;
      *context = current_contexts.back();
      current_contexts.pop_back();
      return 0;
    };
    made.mem_host_alloc = [](void** memory, std::size_t bytes, unsigned) {
      return Do("mem_host_alloc", true, [&] {
        PageLocked block{bytes,
                         std::make_unique<Page[]>((bytes + sizeof(Page) - 1) / sizeof(Page))};
        std::byte* const data = block.memory[0].bytes;
        *memory = data;
        current_gpu->page_locked_.emplace(data, std::move(block));
        return true;
      });
    };
    made.mem_free_host = [](void* memory) {
      return Do("mem_free_host", false, [&] {
        return current_gpu->page_locked_.erase(static_cast<std::byte*>(memory)) == 1;
      });
    };
    made.memcpy_dtoh_async = [](void* to, Driver::Address from, std::size_t bytes, void* stream) {
      return Do("memcpy_dtoh_async", true, [&] {
        return current_gpu->EnqueueCopy(static_cast<std::byte*>(to), MemoryAt(from), bytes, stream,
                                        static_cast<std::byte*>(to));
      });
    };
    made.memcpy_htod_async = [](Driver::Address to, const void* from, std::size_t bytes,
                                void* stream) {
      return Do("memcpy_htod_async", true, [&] {
        return current_gpu->EnqueueCopy(MemoryAt(to), static_cast<const std::byte*>(from), bytes,
                                        stream, static_cast<const std::byte*>(from));
      });
    };
    made.stream_synchronize = [](void* stream) {
      return Do("stream_synchronize", true, [&] {
        auto& given = *static_cast<Stream*>(stream);
        RunUntil(given, given.ended + given.work.size());
        return true;
      });
    };
    made.event_create = [](void** event, unsigned) {
      return Do("event_create", true, [&] {
        *event = &current_gpu->events_.emplace_back(Event{current_contexts.back()});
        return true;
      });
    };
    made.event_record = [](void* event, void* stream) {
      return Do("event_record", true, [&] {
        auto& given = *static_cast<Event*>(event);
        given.stream = static_cast<Stream*>(stream);
        given.at = given.stream->ended + given.stream->work.size();
        return given.context == given.stream->context;
      });
    };
    made.event_synchronize = [](void* event) {
      return Do("event_synchronize", true, [&] {
        const auto& given = *static_cast<Event*>(event);
        if (given.stream != nullptr) RunUntil(*given.stream, given.at);
        return true;
      });
    };
    made.get_error_string = [](int, const char** message) {
      *message = "the simulated error";
      return 0;
    };
    return made;
  }
  // The number of contexts that this thread has pushed and not popped.
  static std::size_t contexts_pushed() { return current_contexts.size(); }

 private:
  static constexpr std::uintptr_t kTag = std::uintptr_t{1} << 62;  // no address has this bit
  static constexpr int kInvalid = 1;                               // CUDA_ERROR_INVALID_VALUE

  struct alignas(4096) Page {
    std::byte bytes[4096];
  };
  struct PageLocked {
    std::size_t bytes = 0;
    std::unique_ptr<Page[]> memory;
  };
  struct Event {
    void* context = nullptr;
    Stream* stream = nullptr;
    std::size_t at = 0;
  };

  template <class Body>
  static int Do(const char* name, bool needs_context, Body&& body) {
    const std::lock_guard lock(current_gpu->mutex_);
    if (current_gpu->failing_ == name) return kInvalid;
    if (needs_context && current_contexts.empty()) return kInvalid;
    return body() ? 0 : kInvalid;
  }

  bool EnqueueCopy(std::byte* to, const std::byte* from, std::size_t bytes, void* stream,
                   const std::byte* page_locked) {
    auto& given = *static_cast<Stream*>(stream);
    auto block = page_locked_.upper_bound(const_cast<std::byte*>(page_locked));
    if (block == page_locked_.begin() || given.context != current_contexts.back()) return false;
    --block;
    if (page_locked + bytes > block->first + block->second.bytes) return false;
    ++copies_;
    given.work.emplace_back([=] { std::memcpy(to, from, bytes); });
    return true;
  }

  static void RunUntil(Stream& stream, std::size_t end) {
    for (; stream.ended < end; ++stream.ended) {
      stream.work.front()();
      stream.work.pop_front();
    }
  }

  static inline FakeGpu* current_gpu = nullptr;
  static inline thread_local std::vector<void*> current_contexts;

  std::mutex mutex_;
  std::string failing_;
  std::deque<Context> contexts_;
  std::deque<Stream> streams_;
  std::deque<Event> events_;
  std::map<std::byte*, PageLocked> page_locked_;
  std::size_t copies_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_XLA_FAKE_GPU_H_
