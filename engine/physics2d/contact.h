// A pair of fixtures whose boxes overlap. They need not touch.
#ifndef ENGINE_PHYSICS2D_CONTACT_H_
#define ENGINE_PHYSICS2D_CONTACT_H_

#include <cstdint>

#include "engine/physics2d/body.h"
#include "engine/physics2d/manifold.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {

struct Contact {
  NumberedArray<FixtureId, 2> fixtures{kNone, kNone};
  NumberedArray<BodyId, 2> bodies{kNone, kNone};
  NumberedArray<ListEntry, 2> entries;  // in the lists of the bodies
  ContactId previous = kNone;           // in the world's list, newest first
  ContactId next = kNone;               // for a destroyed contact: the next free one

  float friction = 0.0f;
  float restitution = 0.0f;
  bool touching = false;
  bool enabled = true;  // false: has no solution at its time of impact
  bool in_island = false;
  bool needs_filtering = false;
  bool has_impact = false;     // `impact` is valid
  std::int32_t sub_steps = 0;  // in this step
  float impact = 1.0f;         // time of impact as a fraction of the step

  Manifold manifold;
};

// Notified when two fixtures start or stop touching, by World::Step and World::DestroyBody. The
// methods must not change the world.
class ContactListener {
 public:
  virtual void BeginContact(const Contact& contact) = 0;
  virtual void EndContact(const Contact& contact) = 0;

 protected:
  ~ContactListener() = default;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_CONTACT_H_
