// Registers the environments that are compiled into a program. The owner of a registry (the
// extension module or a test's main) calls RegisterFamilies once, before other threads use the
// registry.
#ifndef ENGINE_ENVS_FAMILIES_H_
#define ENGINE_ENVS_FAMILIES_H_

namespace engine {

class Registry;

// Registers every family of this build. The build generates the body from the subdirectories of
// engine/envs. Throws what Registry::Add throws.
void RegisterFamilies(Registry& registry);

}  // namespace engine

#endif  // ENGINE_ENVS_FAMILIES_H_
