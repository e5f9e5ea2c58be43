// Whether environments of two specs can be in one pool, and the spec of both.
#ifndef ENGINE_ENV_WIDEN_SPEC_H_
#define ENGINE_ENV_WIDEN_SPEC_H_

#include <string>

#include "engine/env/spec.h"

namespace engine {

// Returns why the rows of environments of the two specs differ, such as 'observation "image": shape
// (7, 7, 3) and (9, 9, 3)'; "" if they have the same form. Bounds of observations may differ, and
// those of boxes of actions if the environments clip (OutOfBounds::kEnvClips). `renders`: whether
// their pictures are drawn, and must have the same size.
std::string DifferenceOf(const EnvSpec& one, const EnvSpec& other, bool renders);
// The same, but for infos.
std::string FormDifference(const EnvSpec& one, const EnvSpec& other, bool renders);
// Why infos of the two specs cannot be in one batch: two have the same name and another form; "" if
// they can.
std::string InfoConflict(const EnvSpec& one, const EnvSpec& other);

// Widens the bounds of `spec`, so that they include those of `other`. The scene gets the larger
// size, the seed the smaller limit.
// Requires: FormDifference(spec, other) is empty.
void Widen(EnvSpec& spec, const EnvSpec& other);

// Appends the infos of `other` that `spec` does not have.
// Requires: InfoConflict(spec, other) is empty.
void AddInfos(EnvSpec& spec, const EnvSpec& other);

// Whether the bounds of `spec` include those of `other`.
// Requires: FormDifference(spec, other) is empty.
bool Includes(const EnvSpec& spec, const EnvSpec& other);

}  // namespace engine

#endif  // ENGINE_ENV_WIDEN_SPEC_H_
