// NumPy's SeedSequence: mixes integers of any quality into words that seed a generator. Used by
// Pcg64 and Rng to seed an environment. Immutable, so any thread may use it.
#ifndef ENGINE_BASE_SEED_SEQUENCE_H_
#define ENGINE_BASE_SEED_SEQUENCE_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace engine {

// The words equal those of numpy.random.SeedSequence(entropy, spawn_key=...) with the default pool
// of four words. As in NumPy, an integer is used as its 32-bit words, low word first, without
// leading zero words; every integer below 2^32 is one word. Does not allocate; can run at compile
// time.
class SeedSequence {
 public:
  static constexpr std::size_t kPoolWords = 4;

  // `entropy` is a list of integers, usually of one. `spawn_key` is the path of child numbers from
  // the root sequence.
  constexpr explicit SeedSequence(std::span<const std::uint64_t> entropy,
                                  std::span<const std::uint64_t> spawn_key = {}) {
    Mixer mixer{pool_};
    for (const std::uint64_t integer : entropy) mixer.AbsorbInteger(integer);
    Finish(mixer, spawn_key);
  }
  constexpr explicit SeedSequence(std::uint64_t entropy,
                                  std::span<const std::uint64_t> spawn_key = {})
      : SeedSequence(std::span<const std::uint64_t>(&entropy, 1), spawn_key) {}
  constexpr SeedSequence(std::initializer_list<std::uint64_t> entropy,
                         std::span<const std::uint64_t> spawn_key = {})
      : SeedSequence(std::span<const std::uint64_t>(entropy.begin(), entropy.size()), spawn_key) {}

  // The sequence of the integer high * 2^64 + low. NumPy gets such an integer from the operating
  // system when it has no seed.
  static constexpr SeedSequence FromUInt128(std::uint64_t high, std::uint64_t low,
                                            std::span<const std::uint64_t> spawn_key = {}) {
    SeedSequence sequence;
    Mixer mixer{sequence.pool_};
    if (high == 0) {
      mixer.AbsorbInteger(low);
    } else {
      mixer.Absorb(LowWord(low));
      mixer.Absorb(HighWord(low));
      mixer.AbsorbInteger(high);
    }
    sequence.Finish(mixer, spawn_key);
    return sequence;
  }

  // Fills `words` with the result of generate_state(words.size()). A word does not depend on the
  // number of requested words.
  constexpr void GenerateState(std::span<std::uint32_t> words) const {
    StateStream stream{pool_};
    for (std::uint32_t& word : words) word = stream.Next();
  }
  constexpr void GenerateState(std::span<std::uint64_t> words) const {
    StateStream stream{pool_};
    for (std::uint64_t& word : words) {
      const std::uint64_t low = stream.Next();
      word = static_cast<std::uint64_t>(stream.Next()) << 32 | low;
    }
  }
  template <class Word, std::size_t kCount>
    requires std::same_as<Word, std::uint32_t> || std::same_as<Word, std::uint64_t>
  constexpr std::array<Word, kCount> GenerateState() const {
    std::array<Word, kCount> words{};
    GenerateState(std::span<Word>(words));
    return words;
  }

 private:
  using Pool = std::array<std::uint32_t, kPoolWords>;

  // Multipliers and start values of the hash, fixed by the algorithm.
  static constexpr std::uint32_t kAbsorbStart = 0x43b0d7e5U;
  static constexpr std::uint32_t kAbsorbMultiplier = 0x931e8875U;
  static constexpr std::uint32_t kGenerateStart = 0x8b51f9ddU;
  static constexpr std::uint32_t kGenerateMultiplier = 0x58f38dedU;
  static constexpr std::uint32_t kMixLeft = 0xca01f9ddU;
  static constexpr std::uint32_t kMixRight = 0x4973f715U;

  static constexpr std::uint32_t LowWord(std::uint64_t value) {
    return static_cast<std::uint32_t>(value & 0xffffffffU);
  }
  static constexpr std::uint32_t HighWord(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
  }
  static constexpr std::uint32_t FoldHalves(std::uint32_t value) { return value ^ value >> 16; }

  // A hash whose multiplier changes with every word.
  struct RunningHash {
    std::uint32_t constant;
    std::uint32_t multiplier;

    constexpr std::uint32_t operator()(std::uint32_t value) {
      value ^= constant;
      constant *= multiplier;
      return FoldHalves(value * constant);
    }
  };

  // Takes entropy word by word, so it needs no buffer of variable length.
  class Mixer {
   public:
    constexpr explicit Mixer(Pool& pool) : pool_(pool) {}

    constexpr void Absorb(std::uint32_t word) {
      if (filled_ < kPoolWords) {
        pool_[filled_++] = hash_(word);
        if (filled_ == kPoolWords) MixPool();
        return;
      }
      for (std::uint32_t& target : pool_) target = Mix(target, hash_(word));
    }
    constexpr void AbsorbInteger(std::uint64_t integer) {
      Absorb(LowWord(integer));
      if (HighWord(integer) != 0) Absorb(HighWord(integer));
    }
    // Short entropy is padded with zeros, which also separates it from a spawn key.
    constexpr void FillPool() {
      while (filled_ < kPoolWords) Absorb(0);
    }

   private:
    static constexpr std::uint32_t Mix(std::uint32_t left, std::uint32_t right) {
      return FoldHalves(kMixLeft * left - kMixRight * right);
    }
    constexpr void MixPool() {
      for (std::size_t source = 0; source < kPoolWords; ++source) {
        for (std::size_t target = 0; target < kPoolWords; ++target) {
          if (source != target) pool_[target] = Mix(pool_[target], hash_(pool_[source]));
        }
      }
    }

    Pool& pool_;
    RunningHash hash_{kAbsorbStart, kAbsorbMultiplier};
    std::size_t filled_ = 0;
  };

  // The words of generate_state: hashes of the pool's words, which it reads cyclically.
  class StateStream {
   public:
    constexpr explicit StateStream(const Pool& pool) : pool_(pool) {}

    constexpr std::uint32_t Next() {
      const std::uint32_t word = hash_(pool_[position_]);
      position_ = (position_ + 1) % kPoolWords;
      return word;
    }

   private:
    const Pool& pool_;
    RunningHash hash_{kGenerateStart, kGenerateMultiplier};
    std::size_t position_ = 0;
  };

  constexpr SeedSequence() = default;

  static constexpr void Finish(Mixer& mixer, std::span<const std::uint64_t> spawn_key) {
    mixer.FillPool();
    for (const std::uint64_t child : spawn_key) mixer.AbsorbInteger(child);
  }

  Pool pool_{};
};

}  // namespace engine

#endif  // ENGINE_BASE_SEED_SEQUENCE_H_
