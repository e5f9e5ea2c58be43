#include "engine/base/os/thread_name.h"

#include <pthread.h>

#include <string>
#include <thread>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace thread_name_test {

TEST(ThreadName, IsThatOfTheCallingThread) {
  std::thread([] {
    NameThisThread("envpool-12");
    char name[64] = {};
    pthread_getname_np(pthread_self(), name, sizeof(name));
    EXPECT_EQ(std::string(name), "envpool-12");
  }).join();
}

}  // namespace thread_name_test
}  // namespace engine::testing
