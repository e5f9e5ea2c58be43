// The processors of this process and of a thread.
#include "engine/base/os/affinity.h"

#include <algorithm>
#include <thread>

#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"

#if ENGINE_OS_IS_LINUX
#include <sched.h>
#include <unistd.h>
#endif

namespace engine::testing {
namespace affinity_test {

#if ENGINE_OS_IS_LINUX

TEST(Affinity, TheProcessorsAreTheSchedulers) {
  const std::vector<int> cpus = AllowedProcessors();
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof(set), &set), 0);
  EXPECT_EQ(static_cast<int>(cpus.size()), CPU_COUNT(&set));
  EXPECT_TRUE(std::ranges::is_sorted(cpus));
  for (const int cpu : cpus) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &set)) << cpu;
}

TEST(Affinity, ABoundThreadChangesNothingElse) {
  const std::vector<int> before = AllowedProcessors();
  ASSERT_FALSE(before.empty());
  std::thread([&] {
    BindThisThread({before.back()});
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(before.back()), &set));
    EXPECT_EQ(AllowedProcessors(), before);
    BindThisThread({5000});  // needs a larger set, and does not exist
    EXPECT_EQ(AllowedProcessors(), before);
  }).join();
}

#else

TEST(Affinity, ProcessorsAreUnknown) {
  EXPECT_TRUE(AllowedProcessors().empty());
  BindThisThread({0});  // does nothing
}

#endif

}  // namespace affinity_test
}  // namespace engine::testing
