// The handlers for GPUs, on a simulated one: the same results as the handlers for the CPU, waits
// exactly where the data needs them, and every error of the driver.
#include "engine/xla/cuda_handlers.h"

#include <string>
#include <thread>
#include <vector>

#include "engine/xla/staging_blocks.h"
#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/xla/fake_call.h"
#include "tests/engine/xla/fake_gpu.h"
#include "tests/engine/xla/shared_fixture.h"

namespace engine::testing {
namespace cuda_handlers_test {

using xla::State;

constexpr std::int64_t kEnvs = 4;

// A GPU with one context and one stream.
struct Device {
  FakeGpu gpu;
  xla::StagingBlocks blocks{gpu.driver()};
  FakeGpu::Context* context = gpu.NewContext();
  FakeGpu::Stream* stream = gpu.NewStream(context);

  std::string Enqueue(FakeCall& call, xla::abi::Handler* handler, FakeGpu::Stream* on) {
    const auto run = [&](xla::abi::CallFrame* frame) {
      return xla::CallOnCuda(frame, handler, blocks);
    };
    std::string message = call.RunOnGpu(on, &FakeGpu::AddressOf, run);
    EXPECT_EQ(FakeGpu::contexts_pushed(), 0U);
    return message;
  }
  std::string Enqueue(FakeCall& call, xla::abi::Handler* handler) {
    return Enqueue(call, handler, stream);
  }
  // Enqueues the call and waits for its results.
  std::string Run(FakeCall& call, xla::abi::Handler* handler) {
    std::string message = Enqueue(call, handler);
    gpu.Synchronize(stream);
    return message;
  }
};

TEST(CudaHandlers, StepsLikeThePool) {
  for (const std::uint32_t envs : {4U, 1000U}) {
    Device device;
    Shared shared({.num_envs = envs});
    PoolFixture reference({.num_envs = envs});
    EXPECT_EQ(shared.Reset(), "");
    reference.Reset();
    for (int t = 0; t < 12; ++t) {
      StepCall call(shared, 7);  // no action, until the kernel below has run
      device.gpu.Enqueue(device.stream, [&] { std::fill_n(call.actions, envs, t % 2); });
      EXPECT_EQ(device.Enqueue(call, xla::StepHandler), "");
      // The copies of the state and of three results have been enqueued.
      EXPECT_EQ(device.gpu.pending(device.stream), 4U);
      EXPECT_EQ(call.obs[0], 0);
      device.gpu.Synchronize(device.stream);
      EXPECT_TRUE(call.next_state() == shared.state());
      ExpectLike(call, reference.TakeStepAll(t % 2));
    }
    EXPECT_EQ(device.gpu.page_locked_blocks(), 1U);
  }
}

TEST(CudaHandlers, ResetsSendsAndReceives) {
  Device device;
  Shared shared({.num_envs = 4, .batch_size = 2});
  FakeCall reset;
  shared.FillReset(reset, shared.shared()->restart_state());
  EXPECT_EQ(device.Run(reset, xla::ResetHandler), "");
  FakeCall send;
  send.SetState(reset.next_state());
  send.Arg<std::int32_t>({kEnvs});
  send.Arg<std::int32_t>({0});
  send.SetFields({shared.fields()[0], 0});
  EXPECT_EQ(device.Run(send, xla::SendHandler), "");
  State state = send.next_state();
  std::vector<std::int32_t> seen;
  for (int batch = 0; batch < 2; ++batch) {
    FakeCall recv;
    recv.SetState(state);
    const std::int32_t* const ids = recv.Result<std::int32_t>({2});
    recv.SetFields({shared.fields()[0], 0, shared.pool()->queue_layout().env_id});
    EXPECT_EQ(device.Run(recv, xla::RecvHandler), "");
    seen.insert(seen.end(), ids, ids + 2);
    state = recv.next_state();
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(seen == std::vector<std::int32_t>({0, 1, 2, 3}));
}

TEST(CudaHandlers, ResetsSomeWithSeeds) {
  Device device;
  Shared on_cpu;
  Shared on_gpu;
  const auto reset = [&](Shared& shared, bool gpu, auto&& check) {
    EXPECT_EQ(shared.Reset(), "");
    FakeCall call;
    call.SetState(shared.state());
    std::uint32_t* const seeds = call.Arg<std::uint32_t>({kEnvs, 2});
    for (std::int64_t env = 0; env < kEnvs; ++env) seeds[2 * env + 1] = 5;  // 5 << 32
    call.Arg<bool>({kEnvs})[1] = true;
    const std::int64_t* const obs = call.Result<std::int64_t>({kEnvs, 2});
    call.SetFields({shared.fields()[0], 0, 0});
    EXPECT_EQ(gpu ? device.Run(call, xla::ResetHandler) : call.Run(xla::ResetHandler), "");
    check(std::vector<std::int64_t>(obs, obs + 2 * kEnvs));
  };
  reset(on_cpu, false, [&](const std::vector<std::int64_t>& expected) {
    reset(on_gpu, true,
          [&](const std::vector<std::int64_t>& obs) { EXPECT_TRUE(obs == expected); });
  });
}

TEST(CudaHandlers, WritesOneElementOfABuffer) {
  Device device;
  Shared shared({.num_envs = 1000});
  PoolFixture reference({.num_envs = 1000});
  EXPECT_EQ(shared.Reset(), "");
  reference.Reset();
  FakeCall call;
  call.SetState(shared.state());
  call.Arg<std::int32_t>({1000});
  call.Arg<std::int32_t>({0});
  std::int32_t* const t = call.Arg<std::int32_t>({});
  std::int64_t* const buffer = call.Buffer<std::int64_t>({3, 1000, 2});
  call.SetFields({shared.fields()[0], 1, 0});
  std::fill_n(buffer, 6000, -9);
  for (*t = 0; *t < 3; ++*t) {
    call.SetState(shared.state());
    const std::size_t copies = device.gpu.copies();
    EXPECT_EQ(device.Run(call, xla::StepHandler), "");
    EXPECT_EQ(device.gpu.copies() - copies, 5U);  // state, actions, t; state, one element
    const Batch batch = reference.TakeStepAll(0);
    EXPECT_EQ(std::memcmp(buffer + *t * 2000, batch.Data<std::int64_t>(0), 16000), 0);
    if (*t < 2) EXPECT_EQ(buffer[(*t + 1) * 2000], -9);
  }
  EXPECT_EQ(buffer[0], 1);
  const State before = shared.state();
  for (const std::int32_t wrong : {3, -1}) {
    *t = wrong;
    call.SetState(before);
    EXPECT_TRUE(device.Run(call, xla::StepHandler).find("t: expected an integer in [0, 2]") !=
                std::string::npos);
    EXPECT_TRUE(shared.state() == before);  // nothing has stepped
  }
}

// The memory of a call is not used again while its copies are pending, also if the next call is of
// a program with another stream.
TEST(CudaHandlers, PendingCopiesKeepTheirMemory) {
  Device device;
  FakeGpu::Stream* const other = device.gpu.NewStream(device.context);
  Shared first({.num_envs = 8});
  Shared second({.num_envs = 8});
  PoolFixture reference({.num_envs = 8});
  EXPECT_EQ(first.Reset(), "");
  EXPECT_EQ(second.Reset(), "");
  reference.Reset();
  second.pool().TakeStepAll(1);  // so that the results differ
  StepCall call(first, 0);
  StepCall next(second, 1);
  EXPECT_EQ(device.Enqueue(call, xla::StepHandler), "");
  EXPECT_EQ(device.Enqueue(next, xla::StepHandler, other), "");
  device.gpu.Synchronize(other);
  device.gpu.Synchronize(device.stream);
  EXPECT_TRUE(call.next_state() == first.state());
  EXPECT_TRUE(next.next_state() == second.state());
  ExpectLike(call, reference.TakeStepAll(0));
  EXPECT_EQ(next.obs[0], 2);
  EXPECT_EQ(device.gpu.page_locked_blocks(), 1U);
  // Another context has other blocks.
  FakeGpu::Stream* const elsewhere = device.gpu.NewStream(device.gpu.NewContext());
  StepCall far(second, 1);
  EXPECT_EQ(device.Enqueue(far, xla::StepHandler, elsewhere), "");
  device.gpu.Synchronize(elsewhere);
  EXPECT_EQ(far.obs[0], 3);
  EXPECT_EQ(device.gpu.page_locked_blocks(), 2U);
}

TEST(CudaHandlers, BlocksGrow) {
  Device device;
  for (const std::uint32_t envs : {4U, 4000U, 4U}) {
    Shared shared({.num_envs = envs});
    EXPECT_EQ(shared.Reset(), "");
    StepCall call(shared, 0);
    EXPECT_EQ(device.Run(call, xla::StepHandler), "");
    EXPECT_EQ(call.obs[2 * (envs - 1)], 1);
    EXPECT_EQ(device.gpu.page_locked_blocks(), 1U);
  }
}

TEST(CudaHandlers, ErrorsOfTheHandler) {
  Device device;
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  StepCall wrong(shared, 7);
  EXPECT_TRUE(device.Run(wrong, xla::StepHandler).find("InputError: actions") == 0);
  EXPECT_TRUE(wrong.code() == xla::abi::ErrorCode::kInvalidArgument);
  EXPECT_EQ(wrong.obs[0], 0);
  StepCall call(shared, 0);
  EXPECT_EQ(device.Run(call, xla::StepHandler), "");
  EXPECT_TRUE(device.Run(call, xla::StepHandler).find("a state can be used once") !=
              std::string::npos);
  EXPECT_EQ(call.obs[0], 1);
  StepCall buffers(shared, 0);
  buffers.SetFields({shared.fields()[0], 9, 0});
  EXPECT_TRUE(device.Run(buffers, xla::StepHandler).find("arguments: expected t and 9 buffers") !=
              std::string::npos);
  StepCall no_time(shared, 0);
  no_time.SetFields({shared.fields()[0], 1, 0});
  EXPECT_TRUE(device.Run(no_time, xla::StepHandler).find("t: expected int32 ()") !=
              std::string::npos);
  StepCall no_stream(shared, 0);
  EXPECT_EQ(device.Enqueue(no_stream, xla::StepHandler, nullptr), "no stream");  // XLA's error
  FakeCall other_stage;
  other_stage.SetStage(0);
  EXPECT_EQ(device.Run(other_stage, xla::StepHandler), "");
}

TEST(CudaHandlers, ErrorsOfTheDriver) {
  for (const char* const function :
       {"stream_get_ctx", "ctx_push_current", "event_create", "mem_host_alloc", "memcpy_dtoh_async",
        "stream_synchronize", "memcpy_htod_async"}) {
    Device device;
    Shared shared;
    EXPECT_EQ(shared.Reset(), "");
    StepCall call(shared, 0);
    device.gpu.Fail(function);
    const std::string message = device.Enqueue(call, xla::StepHandler);
    EXPECT_TRUE(message.find("ResourceError: ") == 0) << function << ": " << message;
    EXPECT_TRUE(message.find("\"the simulated error\" (1)") != std::string::npos) << message;
    EXPECT_TRUE(call.code() == xla::abi::ErrorCode::kResourceExhausted);
    device.gpu.Fail("");
    StepCall next(shared, 0);
    EXPECT_EQ(device.Run(next, xla::StepHandler), "");
    EXPECT_LE(device.gpu.page_locked_blocks(), 1U);
  }
  // If the event cannot be recorded, the handler waits for the copies.
  Device device;
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  StepCall call(shared, 0);
  device.gpu.Fail("event_record");
  EXPECT_EQ(device.Enqueue(call, xla::StepHandler), "");
  EXPECT_EQ(device.gpu.pending(device.stream), 0U);
  EXPECT_EQ(call.obs[0], 1);
}

TEST(CudaHandlers, ThreadsShareTheBlocks) {
  Device device;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, stream = device.gpu.NewStream(device.context)] {
      Shared shared({.num_envs = 16});
      PoolFixture reference({.num_envs = 16});
      EXPECT_EQ(shared.Reset(), "");
      reference.Reset();
      for (int t = 0; t < 50; ++t) {
        StepCall call(shared, t % 2);
        EXPECT_EQ(device.Enqueue(call, xla::StepHandler, stream), "");
        device.gpu.Synchronize(stream);
        ExpectLike(call, reference.TakeStepAll(t % 2));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(device.gpu.page_locked_blocks(), 3U);
}

// The handlers that are registered load the driver. Without one they say so; with one they refuse
// this call, which has no fields.
TEST(CudaHandlers, LoadTheDriver) {
  for (xla::abi::Handler* const handler :
       {xla::CudaResetHandler, xla::CudaStepHandler, xla::CudaSendHandler, xla::CudaRecvHandler}) {
    FakeCall call;
    const std::string message = call.Run(handler);
    EXPECT_TRUE(message.find("ResourceError: CUDA's driver: ") == 0 ||
                message.find("InputError: attribute \"fields\"") == 0)
        << message;
  }
}

}  // namespace cuda_handlers_test
}  // namespace engine::testing
