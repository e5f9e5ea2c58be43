// See the header.
#include "engine/envs/procgen/library.h"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace engine::procgen {
namespace {

// OpenLibrary writes it before any thread reads it.
Library opened;

template <class Function>
void Resolve(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw Error(ErrorKind::kInternal, std::string("the Procgen library has no ") + name);
  }
  std::memcpy(&function, &symbol, sizeof symbol);
}

}  // namespace

int OpenLibrary(const std::string& library_file, const std::string& pictures) {
  // The library is never closed: its pictures serve the whole process.
  void* const library = dlopen(library_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw Error(ErrorKind::kInternal, "the Procgen library cannot be opened: " +
                                          std::string(reason == nullptr ? library_file : reason));
  }
  int (*version)() = nullptr;
  Resolve(library, "libenv_version", version);
  Library found;
  found.version = version();
  if (found.version != libenv::kVersionOfGym3 && found.version != libenv::kVersionOfProcgenGym) {
    throw Error(ErrorKind::kInternal,
                "expected a Procgen library with version 1 or 3 of libenv, "
                "found version " +
                    std::to_string(found.version) + " in " + library_file);
  }
  found.pictures = pictures;
  Resolve(library, "libenv_make", found.make);
  Resolve(library, "libenv_get_tensortypes", found.describe);
  Resolve(library, "libenv_set_buffers", found.set_buffers);
  Resolve(library, "libenv_observe", found.observe);
  Resolve(library, "libenv_act", found.act);
  Resolve(library, "libenv_close", found.close);
  Resolve(library, "get_state", found.get_state);
  Resolve(library, "set_state", found.set_state);
  opened = std::move(found);
  return opened.version;
}

const Library& OpenedLibrary() { return opened; }

}  // namespace engine::procgen
