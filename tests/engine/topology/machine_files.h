// Writes a machine into a temporary directory, in the files with which the kernel describes it.
#ifndef ENGINE_TESTS_TOPOLOGY_MACHINE_FILES_H_
#define ENGINE_TESTS_TOPOLOGY_MACHINE_FILES_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "engine/topology/topology.h"

namespace engine::testing {

// A directory in place of "/". The destructor removes it.
class Machine {
 public:
  Machine() {
    std::string name = (std::filesystem::temp_directory_path() / "engine_topology_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::filesystem::filesystem_error("mkdtemp", name, {});
    root_ = name;
  }
  ~Machine() { std::filesystem::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Machine& Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return *this;
  }
  Machine& Online(const std::string& list) {
    return Write("sys/devices/system/cpu/online", list + "\n");
  }
  Machine& Allowed(const std::string& list) {
    return Write("proc/self/status", "Name:\tpython\nCpus_allowed:\tff\nCpus_allowed_list:\t" +
                                         list + "\nMems_allowed_list:\t0\n");
  }
  Machine& Node(int id, const std::string& list) {
    return Write("sys/devices/system/node/node" + std::to_string(id) + "/cpulist", list + "\n");
  }
  Machine& Siblings(int cpu, const std::string& list) {
    return Write(
        "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
        list + "\n");
  }

  Topology Read() const { return Topology::Read(root_); }

 private:
  std::filesystem::path root_;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_TOPOLOGY_MACHINE_FILES_H_
