// Handlers, called as XLA calls them: results compared with the pool's own calls, states, and every
// input that a compiled program may get wrong.
#include "engine/xla/handlers.h"

#include <string>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"
#include "tests/engine/xla/fake_call.h"
#include "tests/engine/xla/shared_fixture.h"

namespace engine::testing {
namespace handlers_test {

using xla::SharedPool;
using xla::State;

constexpr std::int64_t kEnvs = 4;

TEST(XlaHandlers, StepsLikeThePool) {
  // Results are copied with few environments, written in place with many, and copied again if they
  // are misaligned.
  for (const auto& [envs, shift] : {std::pair{4U, 0U}, {1000U, 0U}, {1000U, 8U}}) {
    Shared shared({.num_envs = envs});
    PoolFixture reference({.num_envs = envs});
    EXPECT_EQ(shared.Reset(), "");
    reference.Reset();
    for (int t = 0; t < 12; ++t) {
      StepCall call(shared, t % 2, shift);
      EXPECT_EQ(call.Run(xla::StepHandler), "");
      EXPECT_TRUE(call.next_state() == shared.state());
      ExpectLike(call, reference.TakeStepAll(t % 2));
    }
    // The pool's own steps still write into its blocks.
    const Batch batch = shared.pool().TakeStepAll(1);
    const Batch expected = reference.TakeStepAll(1);
    EXPECT_EQ(batch.Data<std::int64_t>(0)[1], expected.Data<std::int64_t>(0)[1]);
  }
}

TEST(XlaHandlers, SendsAndReceives) {
  Shared shared({.num_envs = 4, .batch_size = 2});
  EXPECT_EQ(shared.Reset(), "");
  FakeCall send;
  send.SetState(shared.state());
  send.Arg<std::int32_t>({kEnvs});
  send.Arg<std::int32_t>({0});
  send.SetFields({shared.fields()[0], 0});
  EXPECT_EQ(send.Run(xla::SendHandler), "");
  State state = send.next_state();
  std::vector<std::int32_t> seen;
  const BatchLayout& layout = shared.pool()->queue_layout();
  for (int batch = 0; batch < 2; ++batch) {
    FakeCall recv;
    recv.SetState(state);
    const std::int32_t* const ids = recv.Result<std::int32_t>({2});
    recv.SetFields({shared.fields()[0], 0, layout.env_id});
    EXPECT_EQ(recv.Run(xla::RecvHandler), "");
    seen.insert(seen.end(), ids, ids + 2);
    state = recv.next_state();
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(seen == std::vector<std::int32_t>({0, 1, 2, 3}));
  FakeCall recv;
  recv.SetState(state);
  recv.Result<std::int32_t>({2});
  recv.SetFields({shared.fields()[0], 0, layout.env_id});
  EXPECT_TRUE(recv.Run(xla::RecvHandler).find("NothingInFlightError") == 0);
  EXPECT_TRUE(recv.code() == xla::abi::ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(shared.state() == state);
}

TEST(XlaHandlers, WritesOneElementOfABuffer) {
  Shared shared({.num_envs = 1000});
  PoolFixture reference({.num_envs = 1000});
  EXPECT_EQ(shared.Reset(), "");
  reference.Reset();
  FakeCall call;
  call.SetState(shared.state());
  call.Arg<std::int32_t>({1000});
  call.Arg<std::int32_t>({0});
  std::int32_t* const t = call.Arg<std::int32_t>({});
  const std::int64_t* const buffer = call.Buffer<std::int64_t>({3, 1000, 2});
  call.SetFields({shared.fields()[0], 1, 0});
  for (*t = 0; *t < 3; ++*t) {
    call.SetState(shared.state());
    EXPECT_EQ(call.Run(xla::StepHandler), "");
    const Batch batch = reference.TakeStepAll(0);
    EXPECT_EQ(std::memcmp(buffer + *t * 2000, batch.Data<std::int64_t>(0), 16000), 0);
  }
  EXPECT_EQ(buffer[0], 1);
  for (const std::int32_t wrong : {3, -1}) {
    *t = wrong;
    call.SetState(shared.state());
    EXPECT_TRUE(call.Run(xla::StepHandler).find("t: expected an integer in [0, 2]") !=
                std::string::npos);
  }
}

TEST(XlaHandlers, AStateCanBeUsedOnce) {
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  StepCall call(shared, 0);
  EXPECT_EQ(call.Run(xla::StepHandler), "");
  EXPECT_TRUE(call.Run(xla::StepHandler).find("a state can be used once") != std::string::npos);
  EXPECT_EQ(call.obs[0], 1);
  // A reset may start again. It invalidates earlier states. The initial state is not valid for a
  // step.
  const State before = shared.state();
  EXPECT_EQ(shared.Reset(), "");
  call.SetState(before);
  EXPECT_TRUE(call.Run(xla::StepHandler).find("a state can be used once") != std::string::npos);
  call.SetState(shared.shared()->restart_state());
  EXPECT_TRUE(call.Run(xla::StepHandler).find("for a reset only") != std::string::npos);
  shared.shared()->AllowRestart();
  EXPECT_EQ(call.Run(xla::StepHandler), "");
  EXPECT_TRUE(call.Run(xla::StepHandler).find("for a reset only") != std::string::npos);
  call.SetState(shared.state());
  EXPECT_EQ(call.Run(xla::StepHandler), "");
}

TEST(XlaHandlers, ARefusedCallLeavesTheState) {
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  const State state = shared.state();
  StepCall call(shared, 7);
  EXPECT_TRUE(call.Run(xla::StepHandler).find("InputError: actions") == 0);
  EXPECT_TRUE(call.code() == xla::abi::ErrorCode::kInvalidArgument);
  EXPECT_TRUE(shared.state() == state);
  std::fill_n(call.actions, kEnvs, 0);
  EXPECT_EQ(call.Run(xla::StepHandler), "");
}

TEST(XlaHandlers, AFailedEnvironmentEndsTheCall) {
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  const State state = shared.state();
  StepCall call(shared, 0);
  call.actions[2] = 2;
  const std::string message = call.Run(xla::StepHandler);
  EXPECT_TRUE(message.find("EnvironmentFailedError: environment 2 failed: action 2") == 0);
  EXPECT_TRUE(call.code() == xla::abi::ErrorCode::kAborted);
  EXPECT_FALSE(shared.state() == state);  // the other environments have stepped
  EXPECT_EQ(shared.Reset(), "");
}

TEST(XlaHandlers, PoolsThatAreGone) {
  auto shared = std::make_unique<Shared>();
  EXPECT_EQ(shared->Reset(), "");
  StepCall closed(*shared, 0);
  shared->pool().Close();
  EXPECT_TRUE(closed.Run(xla::StepHandler).find("ClosedError: the pool of Probe is closed") == 0);
  Shared gone_later;
  StepCall call(gone_later, 0);
  call.SetState(shared->state());
  shared.reset();
  EXPECT_TRUE(call.Run(xla::StepHandler).find("ClosedError: state: its pool no longer") == 0);
  EXPECT_TRUE(call.code() == xla::abi::ErrorCode::kFailedPrecondition);
  for (const State& wrong : {State{0, 0, 0, 0}, State{1, 2, 3, 4}, State{~0U, ~0U, ~0U, ~0U}}) {
    call.SetState(wrong);
    EXPECT_TRUE(call.Run(xla::StepHandler).find("InputError: state: expected one") == 0);
  }
}

TEST(XlaHandlers, ResetsSomeWithSeeds) {
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  PoolFixture reference({});
  reference.Reset();
  FakeCall call;
  call.SetState(shared.state());
  std::uint32_t* const seeds = call.Arg<std::uint32_t>({kEnvs, 2});
  bool* const mask = call.Arg<bool>({kEnvs});
  const std::int64_t* const obs = call.Result<std::int64_t>({kEnvs, 2});
  call.SetFields({shared.fields()[0], 0, 0});
  for (std::int64_t env = 0; env < kEnvs; ++env) seeds[2 * env + 1] = 5;  // 5 << 32
  mask[1] = true;
  EXPECT_EQ(call.Run(xla::ResetHandler), "");
  Batch batch;
  ResetRequest request;
  request.seeds.assign(kEnvs, std::uint64_t{5} << 32);
  request.has_seed.assign(kEnvs, 1);
  request.mask = {0, 1, 0, 0};
  TestHost host;
  reference->Reset(nullptr, std::move(request), host, batch);
  EXPECT_EQ(std::memcmp(obs, batch.Data<std::int64_t>(0), sizeof(std::int64_t) * 2 * kEnvs), 0);
  // No environment is reset, so the results are the current observations.
  mask[1] = false;
  call.SetState(call.next_state());
  EXPECT_EQ(call.Run(xla::ResetHandler), "");
  EXPECT_EQ(std::memcmp(obs, batch.Data<std::int64_t>(0), sizeof(std::int64_t) * 2 * kEnvs), 0);
}

TEST(XlaHandlers, FinalFramesAreZeroIfNothingEnds) {
  Shared shared({.num_envs = 1000, .autoreset = AutoresetMode::kSameStep, .episode_length = 2});
  EXPECT_EQ(shared.Reset(), "");
  const BatchLayout& layout = shared.pool()->layout();
  FakeCall call;
  call.SetState(shared.state());
  call.Arg<std::int32_t>({1000});
  call.Arg<std::int32_t>({0});
  std::int64_t* const obs = call.Result<std::int64_t>({1000, 2});
  bool* const mask = call.Result<bool>({1000});
  call.SetFields({shared.fields()[0], 0, layout.final_frame.obs, layout.final_mask});
  for (int t = 0; t < 4; ++t) {
    std::fill_n(obs, 2000, 77);
    call.SetState(shared.state());
    EXPECT_EQ(call.Run(xla::StepHandler), "");
    EXPECT_EQ(obs[0], t % 2 == 0 ? 0 : 2);
    EXPECT_EQ(mask[999], t % 2 == 1);
  }
}

TEST(XlaHandlers, WrongFrames) {
  Shared shared;
  EXPECT_EQ(shared.Reset(), "");
  const auto message_of = [&](auto&& change) {
    StepCall call(shared, 0);
    change(call);
    return call.Run(xla::StepHandler);
  };
  const auto fields = shared.fields();
  const auto expect = [&](const char* part, auto&& change) {
    EXPECT_TRUE(message_of(change).find(part) != std::string::npos) << message_of(change);
  };
  expect("fields\": expected a stamp", [](StepCall& call) { call.SetFields({}); });
  expect("another layout of results", [](StepCall& call) { call.SetFields({1, 0, 0, 1, 2}); });
  expect("results: expected 2, got 4", [&](StepCall& call) { call.SetFields({fields[0], 0, 0}); });
  expect("expected indices in [0,",
         [&](StepCall& call) { call.SetFields({fields[0], 0, 0, 1000, 1}); });
  expect("expected indices in [0,",
         [&](StepCall& call) { call.SetFields({fields[0], 0, 0, -1, 1}); });
  expect("compiled for a pool of another size",
         [&](StepCall& call) { call.SetFields({fields[0], 0, fields[3], fields[2], fields[4]}); });
  expect("arguments: expected 3, got 4", [](StepCall& call) { call.Arg<float>({}); });
  expect("arguments: expected 303", [&](StepCall& call) {
    call.SetFields({fields[0], 299, fields[2], fields[3], fields[4]});
  });
  expect("state: expected uint32 (4,), got uint32 (3,)",
         [](StepCall& call) { call.arg(0).dims[0] = 3; });
  expect("actions: expected shape", [](StepCall& call) { call.arg(1).dims[0] = 3; });
  expect("got XLA's type 16",
         [](StepCall& call) { call.arg(1).dtype = static_cast<xla::abi::DataType>(16); });
  FakeCall empty;
  EXPECT_TRUE(empty.Run(xla::StepHandler).find("state: missing") != std::string::npos);
  EXPECT_TRUE(empty.Run(xla::RecvHandler).find("state: missing") != std::string::npos);
  // None of these calls has stepped an environment.
  StepCall call(shared, 0);
  EXPECT_EQ(call.Run(xla::StepHandler), "");
  EXPECT_EQ(call.obs[0], 1);
}

TEST(XlaHandlers, OtherStagesDoNothing) {
  FakeCall empty;
  empty.SetStage(0);
  EXPECT_EQ(empty.Run(xla::StepHandler), "");
}

TEST(XlaHandlers, AnswersWhichVersionItIs) {
  xla::abi::Metadata metadata{};
  xla::abi::MetadataExtension extension{};
  extension.base.type = xla::abi::kMetadataExtension;
  extension.metadata = &metadata;
  xla::abi::CallFrame frame{};
  frame.extension_start = &extension.base;
  const auto minor_for = [&](const xla::abi::Api* api) {
    frame.api = api;
    EXPECT_TRUE(xla::StepHandler(&frame) == nullptr);
    EXPECT_EQ(metadata.api_version.major_version, 0);
    return metadata.api_version.minor_version;
  };
  EXPECT_EQ(minor_for(nullptr), 1);
  xla::abi::Api api{};
  for (const auto& [runtime, expected] : {std::pair{0, 1}, {1, 1}, {2, 2}, {4, 4}, {9, 4}}) {
    api.api_version.minor_version = runtime;
    EXPECT_EQ(minor_for(&api), expected);
  }
  api.api_version.major_version = 1;
  EXPECT_EQ(minor_for(&api), 1);
}

// Close during a call: the handler must not return while a thread may write into XLA's memory,
// which is freed right afterwards. AddressSanitizer reports a later write.
TEST(XlaHandlers, CloseDuringCalls) {
  for (int round = 0; round < 20; ++round) {
    Shared shared({.num_envs = 1000, .work = 100, .never_waits = false});
    EXPECT_EQ(shared.Reset(), "");
    std::thread closer([&] { shared.pool().Close(); });
    std::string message;
    while (message.empty()) {
      StepCall call(shared, 0);
      message = call.Run(xla::StepHandler);
    }
    closer.join();
    EXPECT_TRUE(message.find("ClosedError") == 0) << message;
  }
}

// Several threads make calls with the same state: exactly one of them steps.
TEST(XlaHandlers, OneOfSeveralThreadsSteps) {
  Shared shared({.num_envs = 16});
  EXPECT_EQ(shared.Reset(), "");
  for (int round = 0; round < 50; ++round) {
    StepCall calls[] = {StepCall(shared, 0), StepCall(shared, 0), StepCall(shared, 0)};
    std::string messages[3];
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] { messages[i] = calls[i].Run(xla::StepHandler); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(std::begin(messages), std::end(messages), ""), 1);
  }
}

TEST(XlaHandlers, PoolsLeaveNothingBehind) {
  for (int i = 0; i < 1000; ++i) {
    Shared shared({.num_envs = 2, .num_threads = 1});
    EXPECT_EQ(shared.Reset(), "");
    const std::weak_ptr<SharedPool> watched = shared.shared();
    const State state = shared.state();
    shared.shared().reset();
    EXPECT_TRUE(watched.expired());
    EXPECT_THROW_MESSAGE(SharedPool::Find(state), Error, "no longer exists");
  }
}

}  // namespace handlers_test
}  // namespace engine::testing
