// The environments of a batch, one group of kLanes at a time. lane_functions.cc includes this file
// in a namespace for each instruction set.

// The environments that begin with the `first` of a batch. The lanes behind the last one repeat it.
template <class C, bool kShareConstants>
struct Group {
  LANES Group(const LaneBatch<C>& of, std::uint32_t begin)
      : batch(of), first(begin), count(std::min(kLanes, of.count - begin)) {}

  LANES double* const* states() const { return batch.states + first; }
  LANES const C& constants(std::uint32_t lane) const { return *batch.all_constants[first + lane]; }
  LANES Vector Input() const { return Load(batch.inputs + first); }

  LANES Vector Constant(double C::* member) const {
    if constexpr (kShareConstants) return All(constants(0).*member);
    return Gather(batch.all_constants + first, member);
  }
  // Whether the environments have the same value. A step whose form depends on it is then the same
  // for all lanes.
  LANES bool Agree(bool C::* member) const {
    if constexpr (!kShareConstants) {
      for (std::uint32_t i = 1; i < count; ++i)
        if (constants(i).*member != constants(0).*member) return false;
    }
    return true;
  }

  // Leaves the lanes to Step.
  LANES void Leave() const { std::fill_n(batch.ends + first, count, EndBits::kNotStepped); }
  // Sets the ends of the lanes in `valid`; leaves the others to Step.
  LANES void Finish(unsigned valid, unsigned terminated) const {
    if (count == kLanes && valid == kAllLanes && terminated == 0) [[likely]] {
      __builtin_memset(batch.ends + first, 0, kLanes);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const unsigned end = terminated >> i & 1U;  // EndBits::kTerminated
      batch.ends[first + i] =
          (valid >> i & 1U) != 0 ? static_cast<std::uint8_t>(end) : EndBits::kNotStepped;
    }
  }
  LANES void SetRewards(Vector rewards) const {
    if (count == kLanes) [[likely]] {
      __builtin_memcpy(batch.rewards + first, &rewards, sizeof rewards);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) batch.rewards[first + i] = rewards[i];
  }
  // Stores elements `from` to `from` + 3 of the states of the lanes in `valid`.
  LANES void Store(unsigned valid, Vector a, Vector b, Vector c, Vector d,
                   std::size_t from = 0) const {
    if (valid == kAllLanes && count == kLanes) [[likely]] {
      StoreRows(states(), a, b, c, d, from);
      return;
    }
    double copies[kLanes][4];
    double* rows[kLanes];
    for (std::uint32_t i = 0; i < kLanes; ++i) rows[i] = copies[i];
    StoreRows(rows, a, b, c, d);
    for (std::uint32_t i = 0; i < count; ++i)
      if ((valid >> i & 1U) != 0) std::copy_n(copies[i], 4, states()[i] + from);
  }

  LANES static Vector Load(const double* from) {
    Vector loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }

  const LaneBatch<C>& batch;
  const std::uint32_t first;
  const std::uint32_t count;
};

// Steps all groups of a batch. S::Step steps one.
template <class S, class C>
LANE_TARGET void StepGroups(const LaneBatch<C>& batch) {
  if (batch.share_constants) {
    for (std::uint32_t k = 0; k < batch.count; k += kLanes) S::Step(Group<C, true>(batch, k));
  } else {
    for (std::uint32_t k = 0; k < batch.count; k += kLanes) S::Step(Group<C, false>(batch, k));
  }
}
