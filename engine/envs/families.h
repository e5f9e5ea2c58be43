// Registers the environments that are compiled into a program. Called once by the owner of a
// registry (the extension module, a test's main), before other threads use that registry.
#ifndef ENGINE_ENVS_FAMILIES_H_
#define ENGINE_ENVS_FAMILIES_H_

namespace engine {

class Registry;

// Registers every family of this build; the build generates the body from the
// directories beside this file. Throws what Registry::Add throws.
void RegisterFamilies(Registry& registry);

}  // namespace engine

#endif  // ENGINE_ENVS_FAMILIES_H_
