// A cartridge: the ROM's bytes, shared by all consoles with this cartridge, and the mapping of its
// banks into the processor's address space. The bytes never change: any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_CARTRIDGE_H_
#define ENGINE_EMULATORS_ATARI2600_CARTRIDGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/emulators/atari2600/dpc.h"
#include "engine/emulators/atari2600/mapper.h"
#include "engine/emulators/atari2600/program.h"

namespace engine::atari2600 {

class Cartridge {
 public:
  // Throws engine::Error if the size does not match the mapper.
  Cartridge(Mapper mapper, std::span<const std::uint8_t> image);

  Mapper mapper() const { return mapper_; }
  const std::uint8_t* rom() const { return rom_.data(); }
  // The graphics of a DPC cartridge.
  const std::uint8_t* graphics() const { return rom_.data() + 8192; }
  // Bytes of the ROM that hold the program.
  int program_size() const {
    return static_cast<int>(mapper_ == Mapper::kDPC ? 8192 : rom_.size());
  }
  const Decoded* program() const { return program_.data(); }
  // Bytes of memory in the cartridge, 0 or 128.
  int ram_size() const;

 private:
  Mapper mapper_;
  std::vector<std::uint8_t> rom_;  // a 2 KiB image is stored twice
  std::vector<Decoded> program_;   // region by region
};

std::string_view MapperName(Mapper mapper);

// The mutable state of a cartridge. Trivially copyable.
struct CartridgeState {
  std::uint8_t bank = 0;                 // of 4 KiB
  std::uint8_t slice[4] = {0, 0, 0, 0};  // of 1 KiB: E0
  std::uint8_t ram[128] = {};            // F8SC, F6SC
  Dpc dpc;
};

// The mappers: map the cartridge into the processor's address space. They are compiled into the
// interpreter. Mappers that differ only in the number of banks share one interpreter (see
// WithMapper): the interpreter of kF8 also serves kF6, and that of kF8SC also serves kF6SC.
// Addresses are the processor's, with bit 12 set.
template <Mapper kMapper>
class MappedCartridge {
 public:
  MappedCartridge(const Cartridge& cartridge, CartridgeState& state)
      : rom_(cartridge.rom()),
        program_(cartridge.program()),
        num_banks_(static_cast<unsigned>(cartridge.program_size()) / 4096),
        state_(state) {
    Show();
  }

  static constexpr bool kHasRam = kMapper == Mapper::kF8SC;
  // The range of offsets in a region that can be decoded: ROM only, without hot spots, whichever
  // bank is selected.
  static constexpr int kFirstDecoded = kHasRam ? 0x100 : kMapper == Mapper::kDPC ? 0x80 : 0;
  static constexpr int kLastDecoded =
      static_cast<int>(kRegionSize<kMapper>) -
      (kMapper == Mapper::k2K || kMapper == Mapper::k4K || kMapper == Mapper::kFE ? 0
       : kMapper == Mapper::kDPC                                                  ? 0x40
                                                                                  : 0x20);

  // Whether a read at this address returns ROM, or the cartridge's memory, without side effects.
  [[gnu::always_inline]] static constexpr bool Plain(std::uint16_t address) {
    if constexpr (kMapper == Mapper::k2K || kMapper == Mapper::k4K || kMapper == Mapper::kFE) {
      return (address & 0x1000) != 0;
    } else if constexpr (kMapper == Mapper::kDPC) {
      return (address & 0x1FFFu) - 0x1080u < 0xF40;
    } else {
      return (address & 0x1FFFu) - 0x1000u < 0xFE0;
    }
  }
  // The selected bank, for banks of 4 KiB.
  [[gnu::always_inline]] const std::uint8_t* Bank() const { return bank_; }
  // Reads a plain address. For other addresses, returns an arbitrary byte of the cartridge.
  [[gnu::always_inline]] std::uint8_t ReadPlain(std::uint16_t address) const {
    const unsigned at = address & 0xFFFu;
    if constexpr (kMapper == Mapper::kFE) {
      return rom_[at + ((address & 0x2000u) != 0 ? 0u : 4096u)];
    } else if constexpr (kMapper == Mapper::kE0) {
      return rom_[(static_cast<unsigned>(state_.slice[at >> 10]) << 10) + (at & 0x3FF)];
    } else {
      if constexpr (kHasRam) {
        if (at - 0x80 < 0x80) return state_.ram[at & 0x7F];
      }
      return bank_[at];
    }
  }

  // The decoded program that contains a plain address.
  [[gnu::always_inline]] const Decoded* Region(std::uint16_t address) const {
    unsigned index = state_.bank;
    if constexpr (kMapper == Mapper::k2K || kMapper == Mapper::k4K) index = 0;
    if constexpr (kMapper == Mapper::kFE) index = (address & 0x2000u) != 0 ? 0 : 1;
    if constexpr (kMapper == Mapper::kE0) index = state_.slice[(address >> 10) & 3];
    return program_ + index * (kRegionSize<kMapper> + 1);
  }

  std::uint8_t Read(std::uint16_t address, std::int32_t cycles) {
    const unsigned at = address & 0xFFFu;
    if constexpr (kMapper == Mapper::k2K || kMapper == Mapper::k4K) {
      return bank_[at];
    } else if constexpr (kMapper == Mapper::kFE) {
      // The processor's address line 13, which no other cartridge has, selects the bank.
      return rom_[at + ((address & 0x2000u) != 0 ? 0u : 4096u)];
    } else if constexpr (kMapper == Mapper::kE0) {
      if (at >= 0xFE0) [[unlikely]]
        Switch(at);
      return rom_[(static_cast<unsigned>(state_.slice[at >> 10]) << 10) + (at & 0x3FF)];
    } else if constexpr (kMapper == Mapper::kDPC) {
      if (at < 0x80 || at >= 0xFC0) {
        state_.dpc.Clock();
        if (at < 0x40) return state_.dpc.Read(static_cast<int>(at), cycles, rom_ + 8192);
        Switch(at);
      }
      return bank_[at];
    } else {
      if constexpr (kHasRam) {
        if (at - 0x80 < 0x80) return state_.ram[at & 0x7F];
      }
      if (at >= 0xFF6) [[unlikely]]
        Switch(at);
      return bank_[at];
    }
  }

  void Write(std::uint16_t address, std::uint8_t value) {
    const unsigned at = address & 0xFFFu;
    if constexpr (kMapper == Mapper::kDPC) {
      if (at < 0x80 || at >= 0xFC0) {
        state_.dpc.Clock();
        if (at - 0x40 < 0x40) {
          state_.dpc.Write(static_cast<int>(at), value);
        } else {
          Switch(at);
        }
      }
    } else {
      if constexpr (kHasRam) {
        if (at < 0x80) {
          state_.ram[at] = value;
          return;
        }
      }
      if constexpr (kMapper != Mapper::k2K && kMapper != Mapper::k4K && kMapper != Mapper::kFE) {
        if (at >= 0xFE0) Switch(at);
      }
    }
  }

 private:
  void Switch(unsigned at) {
    if constexpr (kMapper == Mapper::kE0) {
      if (at >= 0xFE0 && at < 0xFF8) state_.slice[(at - 0xFE0) >> 3] = at & 7;
    } else {
      // The hot spots of 2 banks begin at 0xFF8, those of 4 at 0xFF6.
      const unsigned bank = at - (0xFFAu - num_banks_);
      if (bank < num_banks_) state_.bank = static_cast<std::uint8_t>(bank);
    }
    Show();
  }
  void Show() { bank_ = rom_ + (static_cast<unsigned>(state_.bank) << 12); }

  const std::uint8_t* rom_;
  const Decoded* program_;
  unsigned num_banks_;
  const std::uint8_t* bank_ = nullptr;
  CartridgeState& state_;
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_CARTRIDGE_H_
