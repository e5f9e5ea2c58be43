// Environments in worker processes: rows in place, and the behaviour of the executor when a worker
// ends inside a step, while idle, before its environments are made, or does not return from a step.
#include "engine/processes/process_executor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"
#include "tests/engine/processes/worker_fixture.h"
#include "tests/engine/support/emulated.h"

namespace engine::testing {
namespace process_executor_test {

using ById = std::map<std::int32_t, std::int64_t>;
using Messages = std::map<std::uint32_t, std::string>;

ById All(std::uint32_t num_envs, std::int64_t value) {
  ById all;
  for (std::uint32_t env = 0; env < num_envs; ++env) all[static_cast<std::int32_t>(env)] = value;
  return all;
}

TEST(ProcessExecutor, RowsAreThoseOfTheEnvironments) {
  WorkersFixture workers({.num_envs = 5, .num_workers = 3});
  workers.StartAll();
  const Batch reset = workers.Reset();
  EXPECT_EQ(Observed(reset, 0), All(5, 0));
  for (std::uint64_t env = 0; env < 5; ++env) {
    Rng rng(WorkersFixture::kFirstSeed + env);
    EXPECT_EQ(Observed(reset, 1)[static_cast<std::int32_t>(env)], rng.Integers(1000000));
  }
  ById actions;
  for (std::int32_t env = 0; env < 5; ++env) actions[env] = 10 * env;
  for (std::int64_t step = 1; step <= 3; ++step) {
    const Batch batch = workers.Step(actions);
    EXPECT_EQ(Observed(batch, 0), All(5, step));
    EXPECT_EQ(Observed(batch, 1), Observed(reset, 1));
    EXPECT_EQ(Observed(batch, 2), actions);
    EXPECT_TRUE(batch.failed.empty());
  }
  // Some of the environments, not in the order of the workers.
  EXPECT_EQ(Observed(workers.Step({{3, 1}, {0, 2}}), 0), (ById{{0, 4}, {3, 4}}));
  const PoolStats stats = workers.executor().stats();
  EXPECT_EQ(stats.steps, 17U);
  EXPECT_EQ(stats.resets, 5U);
}

TEST(ProcessExecutor, QueuedEnvironmentsFillBatches) {
  WorkersFixture workers({.num_envs = 6, .batch_size = 2, .num_workers = 3});
  workers.StartAll();
  workers.SendReset();
  std::map<std::int32_t, std::int64_t> steps;
  for (int round = 0; round < 60; ++round) {
    const Batch batch = workers.Recv();
    ASSERT_EQ(batch.rows(), 2U);
    const ById seen = Observed(batch, 0);
    ASSERT_EQ(seen.size(), 2U);
    ById next;
    for (const auto& [env, count] : seen) {
      EXPECT_EQ(count, steps[env]);
      ++steps[env];
      next[env] = round;
    }
    workers.Send(next);
  }
}

TEST(ProcessExecutor, AnExceptionFailsOneEnvironment) {
  WorkersFixture workers({});
  workers.StartAll();
  workers.Reset();
  ById actions = All(5, 1);
  actions[2] = kThrow;
  const Batch batch = workers.Step(actions);
  EXPECT_EQ(FailedOf(batch), (Messages{{2, "told to throw"}}));
  EXPECT_EQ(Observed(batch, 0), (ById{{0, 1}, {1, 1}, {2, 0}, {3, 1}, {4, 1}}));
  EXPECT_FALSE(workers.executor().any_dead());
}

TEST(ProcessExecutor, AWorkerThatDiesInAStepLosesItsUnfinishedItems) {
  WorkersFixture workers({.num_envs = 5, .num_workers = 3});
  workers.StartAll();
  workers.Reset();
  const std::string why = workers.NameOf(1) + "was killed by SIGKILL";
  ById actions = All(5, 1);
  actions[1] = kDie;  // worker 1 has environments 1 and 4
  const Batch batch = workers.Step(actions);
  EXPECT_EQ(FailedOf(batch), (Messages{{1, why}, {4, why}}));
  EXPECT_EQ(Observed(batch, 0), (ById{{0, 1}, {1, 0}, {2, 1}, {3, 1}, {4, 0}}));
  EXPECT_TRUE(workers.executor().any_dead());
  EXPECT_EQ(workers.executor().DeadWorkers(), std::vector<std::uint32_t>{1});
  EXPECT_THROW_MESSAGE(workers.Step({{4, 1}}), Error, "environment 4 failed");
  // Resets of worker 1 fail as long as no new process replaces it. The other workers continue.
  EXPECT_EQ(FailedOf(workers.Reset({1, 3})), (Messages{{1, why}}));
  EXPECT_EQ(Observed(workers.Step({{0, 1}, {2, 1}}), 0), (ById{{0, 2}, {2, 2}}));

  workers.Restart(1);
  EXPECT_FALSE(workers.executor().any_dead());
  EXPECT_TRUE(workers.Reset({1, 4}).failed.empty());
  EXPECT_EQ(Observed(workers.Step({{1, 1}, {2, 1}, {4, 1}}), 0), (ById{{1, 1}, {2, 3}, {4, 1}}));
}

TEST(ProcessExecutor, WhatADeadWorkerHadFinishedStands) {
  WorkersFixture workers({.num_envs = 4, .num_workers = 1});
  workers.StartAll();
  workers.Reset();
  const Batch batch = workers.Step({{0, 1}, {1, 1}, {2, kExit}, {3, 1}});
  // Environments 0 and 1 had finished.
  const std::string why = workers.NameOf(0) + "exited with status 7";
  EXPECT_EQ(FailedOf(batch), (Messages{{2, why}, {3, why}}));
  EXPECT_EQ(Observed(batch, 0), (ById{{0, 1}, {1, 1}, {2, 0}, {3, 0}}));
}

TEST(ProcessExecutor, EnvironmentsThatWereIdleAreLostToo) {
  WorkersFixture workers({.num_envs = 4, .num_workers = 2});
  workers.StartAll();
  workers.Reset();
  const std::string why = workers.NameOf(0) + "was killed by SIGKILL";
  EXPECT_EQ(FailedOf(workers.Step({{0, kDie}})), (Messages{{0, why}}));
  workers.Restart(0);
  const Batch batch = workers.Step({{1, 1}, {2, 1}});
  const std::string lost = "it was replaced by a new environment because its worker had died (";
  EXPECT_EQ(FailedOf(batch), (Messages{{2, lost + why + ")"}}));
  EXPECT_EQ(Observed(batch, 0), (ById{{1, 1}, {2, 0}}));
  EXPECT_TRUE(workers.Reset({0, 2}).failed.empty());
  EXPECT_EQ(Observed(workers.Step({{0, 1}, {2, 1}}), 0), (ById{{0, 1}, {2, 1}}));
}

TEST(ProcessExecutor, AWorkerThatDiesCompletesItsQueuedRows) {
  for (const std::uint32_t batch_size : {1U, 2U, 3U}) {
    WorkersFixture workers({.num_envs = 6, .batch_size = batch_size, .num_workers = 2});
    workers.StartAll();
    workers.SendReset();
    for (std::uint32_t rows = 0; rows < 6; rows += batch_size) workers.Recv();
    ById actions = All(6, 1);
    actions[2] = kDie;  // worker 0 steps 0, 2, 4 in this order
    workers.Send(actions);
    Messages failed;
    ById steps;
    for (std::uint32_t rows = 0; rows < 6; rows += batch_size) {
      const Batch batch = workers.Recv();
      failed.merge(FailedOf(batch));
      steps.merge(Observed(batch, 0));
    }
    const std::string why = workers.NameOf(0) + "was killed by SIGKILL";
    EXPECT_EQ(failed, (Messages{{2, why}, {4, why}})) << "batch_size " << batch_size;
    EXPECT_EQ(steps, (ById{{0, 1}, {1, 1}, {2, 0}, {3, 1}, {4, 0}, {5, 1}}));
    workers.Restart(0);
    workers.SendReset();
    for (std::uint32_t rows = 0; rows < 6; rows += batch_size) {
      EXPECT_TRUE(workers.Recv().failed.empty());
    }
  }
}

// The batches of all rows that are in flight, as one.
struct Rows {
  Rows(WorkersFixture& workers, std::uint32_t batch_size, std::uint32_t num_rows) {
    for (std::uint32_t rows = 0; rows < num_rows; rows += batch_size) {
      const Batch batch = workers.Recv();
      failed.merge(FailedOf(batch));
      steps.merge(Observed(batch, 0));
    }
  }
  Messages failed;
  ById steps;
};

TEST(ProcessExecutor, AWorkerThatDiesBetweenItsCommitAndTheEndOfItsItem) {
  // First-ready and ordered; the environments are idle, or queued again, when the end is noticed.
  for (const std::uint32_t batch_size : {1U, 2U, 4U}) {
    for (const bool is_queued_again : {false, true}) {
      WorkersFixture workers({.num_envs = 4, .batch_size = batch_size, .num_workers = 2});
      workers.StartAll();
      workers.SendReset();
      const Rows reset(workers, batch_size, 4);
      EXPECT_EQ(reset.steps, All(4, 0));
      workers.KillBeforeFinish(0);
      const std::string why = workers.NameOf(0) + "was killed by SIGKILL";
      if (is_queued_again) {
        workers.Send(All(4, 1));
      } else {
        workers.executor().CheckWorkers();
        EXPECT_EQ(workers.executor().DeadWorkers(), std::vector<std::uint32_t>{0});
        workers.Send(All(4, 1));
      }
      const Rows step(workers, batch_size, 4);
      EXPECT_EQ(step.failed, (Messages{{0, why}, {2, why}})) << "batch_size " << batch_size;
      EXPECT_EQ(step.steps, (ById{{0, 0}, {1, 1}, {2, 0}, {3, 1}}));
      workers.Restart(0);
      workers.SendReset();
      const Rows again(workers, batch_size, 4);
      EXPECT_TRUE(again.failed.empty());
      EXPECT_EQ(again.steps, All(4, 0));
    }
  }
}

// A broken worker has written that some process reserves a row.
TEST(ProcessExecutor, AReservationThatWasNeverMadeDelaysNoRecovery) {
  for (const std::uint32_t batch_size : {4U, 2U}) {
    for (const std::size_t writer : {0U, 1U, 2U}) {  // the workers, and the pool's process
      WorkersFixture workers({.num_envs = 4, .batch_size = batch_size, .num_workers = 2});
      workers.StartAll();
      workers.Reset();
      const std::unique_ptr<SharedMapping> mapping = MapWhole(dup(workers.executor().fd()));
      SharedState(mapping->base()).rows().writer(writer).reserving.store(77);
      const std::string why = workers.NameOf(0) + "was killed by SIGKILL";
      const Batch batch = workers.Step({{0, kDie}, {1, 1}});
      EXPECT_EQ(FailedOf(batch), (Messages{{0, why}})) << writer << ", " << batch_size;
    }
  }
}

TEST(ProcessExecutor, AllWorkersMayDieAgainAndAgain) {
  WorkersFixture workers({.num_envs = 4, .num_workers = 2});
  workers.StartAll();
  for (int round = 0; round < 5; ++round) {
    workers.Reset();
    EXPECT_EQ(workers.Step(All(4, kDie)).failed.size(), 4U);
    EXPECT_EQ(workers.executor().DeadWorkers(), (std::vector<std::uint32_t>{0, 1}));
    workers.Restart(0);
    workers.Restart(1);
  }
  workers.Reset();
  EXPECT_EQ(Observed(workers.Step(All(4, 1)), 0), All(4, 1));
}

TEST(ProcessExecutor, WhoReapsAWorkerTellsHowItEnded) {
  WorkersFixture workers({.num_envs = 2, .num_workers = 1});
  workers.StartUnrelated(0);
  ASSERT_EQ(workers.Construct(), WaitResult::kDone);
  workers.Reset();
  workers.Send({{0, 1}, {1, kExit}});
  const std::string why = workers.NameOf(0) + "exited with status 7";
  const auto process = static_cast<std::uint64_t>(workers.process(0));
  const std::uint64_t told =
      process << 32 | WorkerLine::kStatusKnown | static_cast<std::uint32_t>(workers.Reap(0));
  ASSERT_EQ(pwrite(workers.executor().fd(), &told, sizeof(told),
                   static_cast<off_t>(workers.executor().status_offset(0))),
            static_cast<ssize_t>(sizeof(told)));
  EXPECT_EQ(FailedOf(workers.Recv()), (Messages{{1, why}}));
}

TEST(ProcessExecutor, AWorkerThatHangsIsKilled) {
  // In a step, and between two steps.
  for (const bool is_stopped : {false, true}) {
    WorkersFixture workers({.num_envs = 4, .num_workers = 2, .step_timeout_ns = 500'000'000});
    workers.StartAll();
    workers.Reset();
    const std::string why = workers.NameOf(1) +
                            "was killed: a step or another call took longer than step_timeout = "
                            "0.5 s";
    if (is_stopped) kill(workers.process(1), SIGSTOP);
    const Batch batch = workers.Step({{1, is_stopped ? 1 : kHang}, {3, 1}});
    EXPECT_EQ(FailedOf(batch), (Messages{{1, why}, {3, why}}));
    const int status = workers.Reap(1);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
}

TEST(ProcessExecutor, ANewWorkerThatDoesNotMakeItsEnvironmentsIsKilled) {
  WorkersFixture workers({.num_envs = 2, .num_workers = 2, .step_timeout_ns = 200'000'000});
  workers.StartAll();
  workers.Reset();
  workers.Step({{1, kDie}});
  workers.Restart(1, Birth::kHangs);
  const std::string why = workers.NameOf(1) + "was killed: it has not made its environments within";
  const Messages failed = FailedOf(workers.Reset());
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.at(1).substr(0, why.size()), why);
  workers.Restart(1);
  EXPECT_TRUE(workers.Reset().failed.empty());
}

TEST(ProcessExecutor, AWorkerThatHangsWhenThePoolIsClosedIsKilled) {
  WorkersFixture workers({.num_envs = 1, .num_workers = 1});
  workers.StartAll();
  workers.Reset();
  kill(workers.process(0), SIGSTOP);
  workers.Close();
  workers.executor().KillHanging(1);  // observes it
  workers.executor().KillHanging(1);
  const int status = workers.Reap(0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(ProcessExecutor, WorkersThatDoNotStart) {
  {
    WorkersFixture workers({.num_envs = 2, .num_workers = 2});
    workers.Start(0);
    workers.Start(1, Birth::kExits);
    EXPECT_THROW_MESSAGE(workers.Construct(), Error,
                         "worker 1 did not start: " + workers.NameOf(1) + "exited with status 7");
  }
  {
    WorkersFixture workers({.num_envs = 2, .num_workers = 2});
    workers.Start(0);
    workers.Start(1, Birth::kFails);
    EXPECT_THROW_MESSAGE(workers.Construct(), Error,
                         "worker 1 could not make its environments: no such model");
  }
}

TEST(ProcessExecutor, WorkersEndWhenThePoolIsClosed) {
  WorkersFixture workers({.num_envs = 3, .num_workers = 3});
  workers.StartAll();
  workers.Reset();
  workers.Close();
  for (std::uint32_t worker = 0; worker < 3; ++worker) EXPECT_EQ(workers.Reap(worker), 0);
}

#if ENGINE_OS_IS_LINUX  // pages can be freed
TEST(ProcessExecutor, ClosingFreesTheBuffers) {
  WorkersFixture workers({.num_envs = 2, .num_workers = 1});
  workers.StartAll();
  const Batch batch = workers.Reset();  // keeps the memory
  const std::unique_ptr<SharedMapping> mapping = MapWhole(dup(workers.executor().fd()));
  const SharedState state(mapping->base());
  const auto pages = [&] {
    struct stat status{};
    fstat(workers.executor().fd(), &status);
    return static_cast<std::size_t>(status.st_blocks) * 512 / PageBytes();
  };
  const std::size_t before = pages();
  for (std::byte* const buffer : {state.inbox(0), state.outbox(1), state.job_buffer()}) {
    buffer[10 * PageBytes()] = std::byte{1};
  }
  EXPECT_EQ(pages(), before + 3);
  workers.Close();
  EXPECT_EQ(pages(), Emulated() ? before + 3 : before);
  EXPECT_EQ(Observed(batch, 0), All(2, 0));
}
#endif

TEST(ProcessExecutor, BatchesOutliveThePool) {
  Batch batch;
  {
    WorkersFixture workers({});
    workers.StartAll();
    batch = workers.Reset();
    workers.Close();
  }
  EXPECT_EQ(Observed(batch, 0), All(5, 0));
}

}  // namespace process_executor_test
}  // namespace engine::testing
