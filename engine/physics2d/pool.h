// Functions for vectors whose elements are addressed by index and reused after they are destroyed,
// and for the bodies' lists of such elements.
#ifndef ENGINE_PHYSICS2D_POOL_H_
#define ENGINE_PHYSICS2D_POOL_H_

#include <cstdint>

#include "engine/physics2d/body.h"
#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {

// Reuses the element that was destroyed last, or adds one. `next_free` is the member that links the
// destroyed elements.
template <class T>
std::int32_t Take(NumberedVector<T>& elements, std::int32_t& first_free,
                  std::int32_t T::* next_free) {
  if (first_free == kNone) {
    elements.emplace_back();
    return static_cast<std::int32_t>(elements.size()) - 1;
  }
  const std::int32_t id = first_free;
  first_free = elements[id].*next_free;
  elements[id] = T{};
  return id;
}

template <class T>
void Release(NumberedVector<T>& elements, std::int32_t& first_free, std::int32_t T::* next_free,
             std::int32_t id) {
  elements[id] = T{};
  elements[id].*next_free = first_free;
  first_free = id;
}

// Inserts an element's entry for one of its bodies at the front of that body's list.
template <class T>
void Link(NumberedVector<T>& elements, std::int32_t& first, std::int32_t entry) {
  elements[entry >> 1].entries[entry & 1] = {kNone, first};
  if (first != kNone) elements[first >> 1].entries[first & 1].previous = entry;
  first = entry;
}

template <class T>
void Unlink(NumberedVector<T>& elements, std::int32_t& first, std::int32_t entry) {
  const ListEntry links = elements[entry >> 1].entries[entry & 1];
  if (links.previous != kNone) {
    elements[links.previous >> 1].entries[links.previous & 1].next = links.next;
  } else {
    first = links.next;
  }
  if (links.next != kNone) {
    elements[links.next >> 1].entries[links.next & 1].previous = links.previous;
  }
}

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_POOL_H_
