// The library of the installed Procgen package. It is opened at run time, so that this module can
// be imported, and can report the problem, if there is no such package. OpenLibrary() is called
// once, with the GIL, before any environment is made. Any thread may call the other functions.
//
// The library ends the process if it gets options or states that it does not expect. Callers check
// what they pass.
#ifndef ENGINE_ENVS_PROCGEN_LIBRARY_H_
#define ENGINE_ENVS_PROCGEN_LIBRARY_H_

#include <string>

#include "engine/envs/procgen/libenv.h"

namespace engine::procgen {

// The functions of the library. Those of different environments may run at the same time.
struct Library {
  int version = 0;           // of libenv: 1 or 3
  std::string pictures;      // the directory of the games' pictures, with a final slash
  void* make = nullptr;      // libenv::Make1 or libenv::Make3
  void* describe = nullptr;  // int (Environment*, Space, TensorType1* or TensorType3*)
  void (*set_buffers)(libenv::Environment*, void* buffers) = nullptr;
  void (*observe)(libenv::Environment*) = nullptr;
  void (*act)(libenv::Environment*) = nullptr;
  void (*close)(libenv::Environment*) = nullptr;
  int (*get_state)(libenv::Environment*, int game, char* data, int size) = nullptr;
  void (*set_state)(libenv::Environment*, int game, const char* data, int size) = nullptr;
};

// Opens the library and returns the version of its interface. `pictures` is the directory of the
// games' pictures, which the library reads when it makes the first environment of the process.
// Throws Error{kInternal} if the library cannot be opened, lacks a function or has another version
// of the interface.
int OpenLibrary(const std::string& library_file, const std::string& pictures);

// The library; its version is 0 before OpenLibrary() has succeeded.
const Library& OpenedLibrary();

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_LIBRARY_H_
