#include "engine/emulators/atari2600/tia_stores.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/emulators/atari2600/machine_core.h"
#include "engine/emulators/atari2600/tia_write.h"

namespace engine::atari2600 {
namespace {

constexpr int kWsync = 0x02;

// The value of A, X or Y.
[[gnu::always_inline]] inline std::uint8_t Value(Source source, unsigned ac, unsigned xy) {
  return static_cast<std::uint8_t>(source == Source::kA ? ac : source == Source::kX ? xy : xy >> 8);
}

[[gnu::noinline]] void EndFrame(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy,
                                unsigned nz, std::int64_t time) {
  m->end = RunEnd::kFrame;
  m->Save(m->AddressOf(at), ac, xy, nz, time);
}

// Any store that changes something.
template <int kAddress>
void Change(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
            std::int64_t time) {
  time += at->cycles;
  const std::uint8_t value = Value(static_cast<Source>(at->source), ac, xy);
  const bool ends =
      m->state.tia.template Write<kAddress>(value, static_cast<std::int32_t>(time), m->picture);
  at += at->link;
  if (ends) [[unlikely]]
    return EndFrame(m, at, ac, xy, nz, time);
  return Go(m, at, ac, xy, nz, time);
}

template <int kAddress>
[[gnu::noinline]] void EndQuietly(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy,
                                  unsigned nz, std::int64_t time) {
  m->state.tia.template Touch<kAddress>(static_cast<std::int32_t>(time) * 3);
  return EndFrame(m, at, ac, xy, nz, time);
}

// A store with a zero page address, the usual form.
template <int kAddress, Source kSource>
void Store(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
           std::int64_t time) {
  constexpr int kCycles = 3;
  constexpr int kLength = 2;
  const std::uint8_t value = Value(kSource, ac, xy);
  const std::int32_t clock = (static_cast<std::int32_t>(time) + kCycles) * 3;
  if (!m->state.tia.template WriteQuietly<kAddress>(value, clock)) {
    return Change<kAddress>(m, at, ac, xy, nz, time);
  }
  time += kCycles;
  at += kLength;
  if (m->state.tia.template Ends<kAddress>(value, clock)) [[unlikely]] {
    return EndQuietly<kAddress>(m, at, ac, xy, nz, time);
  }
  return Go(m, at, ac, xy, nz, time);
}

// A push. A read precedes its write, so WSYNC halts the processor.
template <int kAddress, Source kSource>
void Push(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
          std::int64_t time) {
  const std::uint8_t value =
      kSource == Source::kA ? static_cast<std::uint8_t>(ac) : MachineCore::Status(*m, ac >> 8, nz);
  time += 3;
  const auto cycles = static_cast<std::int32_t>(time);
  bool ends = false;
  if (m->state.tia.template WriteQuietly<kAddress>(value, cycles * 3)) {
    ends = m->state.tia.template Ends<kAddress>(value, cycles * 3);
    if (ends) m->state.tia.template Touch<kAddress>(cycles * 3);
  } else {
    ends = m->state.tia.template Write<kAddress>(value, cycles, m->picture);
  }
  if constexpr (kAddress == kWsync) time += m->state.tia.LineEnd(cycles) - cycles;
  --m->sp;
  ++at;
  if (ends) [[unlikely]]
    return EndFrame(m, at, ac, xy, nz, time);
  return Go(m, at, ac, xy, nz, time);
}

// A store to WSYNC: the processor halts until the line ends.
void Sync(MachineCore* m, const Decoded* at, unsigned ac, unsigned xy, unsigned nz,
          std::int64_t time) {
  time += at->cycles;
  const auto cycles = static_cast<std::int32_t>(time);
  const bool ends = m->state.tia.Sync(cycles);
  time += m->state.tia.LineEnd(cycles) - cycles;
  at += at->link;
  if (ends) [[unlikely]]
    return EndFrame(m, at, ac, xy, nz, time);
  return Go(m, at, ac, xy, nz, time);
}

template <Source kSource>
constexpr TiaHandlers kStores = []<std::size_t... kAddresses>(std::index_sequence<kAddresses...>) {
  return TiaHandlers{&Store<kAddresses, kSource>...};
}(std::make_index_sequence<64>());

template <Source kSource>
constexpr TiaHandlers kPushes = []<std::size_t... kAddresses>(std::index_sequence<kAddresses...>) {
  return TiaHandlers{&Push<kAddresses, kSource>...};
}(std::make_index_sequence<64>());

constexpr TiaHandlers kChanges = []<std::size_t... kAddresses>(std::index_sequence<kAddresses...>) {
  return TiaHandlers{&Change<kAddresses>...};
}(std::make_index_sequence<64>());

}  // namespace

constinit const TiaHandlers kTiaPushesOfA = kPushes<Source::kA>;
constinit const TiaHandlers kTiaPushesOfStatus = kPushes<Source::kStatus>;

Decoded TiaStore(int address, Source source, int length) {
  const auto index = static_cast<std::size_t>(address);
  Decoded decoded;
  if (address == kWsync) {
    decoded.run = &Sync;
  } else if (length == 3) {
    decoded.run = kChanges[index];
  } else {
    decoded.run = source == Source::kA   ? kStores<Source::kA>[index]
                  : source == Source::kX ? kStores<Source::kX>[index]
                                         : kStores<Source::kY>[index];
  }
  decoded.cycles = static_cast<std::uint8_t>(length + 1);
  decoded.source = static_cast<std::uint8_t>(source);
  decoded.link = length;
  return decoded;
}

}  // namespace engine::atari2600
