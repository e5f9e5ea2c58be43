// MD5 as RFC 1321 describes it. It identifies ROM images by their published digests, and is not
// used for security.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/envs/atari/game_rom.h"

namespace engine::atari {
namespace {

using Words = std::array<std::uint32_t, 4>;

// 2^32 |sin(i + 1)|, rounded down, as the RFC defines the constants.
std::array<std::uint32_t, 64> Sines() {
  std::array<std::uint32_t, 64> sines{};
  for (std::size_t i = 0; i < 64; ++i) {
    sines[i] = static_cast<std::uint32_t>(
        std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return sines;
}

void AddBlock(const std::uint8_t* block, Words& digest) {
  static const std::array<std::uint32_t, 64> kSines = Sines();
  constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::uint32_t words[16];
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = block[4 * i] | static_cast<std::uint32_t>(block[4 * i + 1]) << 8 |
               static_cast<std::uint32_t>(block[4 * i + 2]) << 16 |
               static_cast<std::uint32_t>(block[4 * i + 3]) << 24;
  }
  auto [a, b, c, d] = digest;
  for (unsigned i = 0; i < 64; ++i) {
    std::uint32_t mixed = 0;
    unsigned word = 0;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = 5 * i + 1;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = 3 * i + 5;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i;
        break;
    }
    const std::uint32_t turned =
        b + std::rotl(a + mixed + kSines[i] + words[word % 16], kShifts[i / 16][i % 4]);
    a = d;
    d = c;
    c = b;
    b = turned;
  }
  digest = {digest[0] + a, digest[1] + b, digest[2] + c, digest[3] + d};
}

}  // namespace

std::string Md5(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> padded(bytes.begin(), bytes.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) {
    padded.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  Words digest{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  for (std::size_t at = 0; at < padded.size(); at += 64) AddBlock(&padded[at], digest);
  std::string text;
  for (const std::uint32_t word : digest) {
    for (int shift = 0; shift < 32; shift += 8) {
      for (const int nibble : {4, 0}) {
        text += "0123456789abcdef"[(word >> (shift + nibble)) & 0xF];
      }
    }
  }
  return text;
}

}  // namespace engine::atari
