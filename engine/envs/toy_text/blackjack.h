// Blackjack: hit or stick against a dealer who draws from an infinite deck. This is Example 5.1 of
// Sutton and Barto's book, with the rules and the random draws of Gymnasium 1.4.0's BlackjackEnv;
// results are bit-equal to Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_TOY_TEXT_BLACKJACK_H_
#define ENGINE_ENVS_TOY_TEXT_BLACKJACK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/env/environment.h"

namespace engine::toy_text {

class Blackjack {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {
        {.name = "natural",
         .default_value = false,
         .doc = "Whether a win with a natural (an ace and a ten) gives 1.5; ignored if sab is set.",
         .low = {},
         .high = {}},
        {.name = "sab",
         .default_value = true,
         .doc = "Whether to use the rules of Sutton and Barto's book: a natural wins, unless the "
                "dealer has one too.",
         .low = {},
         .high = {}}};
  }
  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    // The player's sum; the dealer's open card (1 is an ace); whether an ace counts 11 for the
    // player.
    spec.observation = SpaceSpec::Tuple(
        {SpaceSpec::Discrete(32), SpaceSpec::Discrete(11), SpaceSpec::Discrete(2)});
    spec.action = SpaceSpec::Discrete(2);  // 0: stick, 1: hit
    spec.scene_size = 5;
    return spec;
  }

  // Has Gymnasium's names.
  struct Constants {
    bool natural;
    bool sab;
  };
  struct Config {
    explicit Config(const ParamValues& options)
        : constants{.natural = options.Get<bool>("natural"), .sab = options.Get<bool>("sab")} {}
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Blackjack(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start&, Rng& rng) {
    dealer_ = Hand();
    player_ = Hand();
    open_card_ = DrawCard(rng);
    dealer_.Take(open_card_);
    dealer_.Take(DrawCard(rng));
    player_.Take(DrawCard(rng));
    player_.Take(DrawCard(rng));
    // The suit and the face of the open card affect only pictures.
    suit_ = static_cast<std::uint8_t>(rng.Choice(kNumSuits));
    if (open_card_ == 10) face_ = static_cast<std::uint8_t>(rng.Choice(kNumFaces));
  }

  StepResult Step(ActionView action, Rng& rng) {
    if (action.Index() == 1) {
      player_.Take(DrawCard(rng));
      const bool bust = player_.Score() == 0;
      return {.reward = bust ? -1.0 : 0.0, .terminated = bust};
    }
    while (dealer_.Sum() < kDealerStands) dealer_.Take(DrawCard(rng));
    const int player = player_.Score();
    const int dealer = dealer_.Score();
    double reward = player > dealer ? 1.0 : player < dealer ? -1.0 : 0.0;
    if (player_.IsNatural()) {
      if (constants_->sab) {
        if (!dealer_.IsNatural()) reward = 1.0;
      } else if (constants_->natural && reward == 1.0) {
        reward = 1.5;
      }
    }
    return {.reward = reward, .terminated = true};
  }

  void Observe(ObsRow row) const {
    *row.Data<std::int64_t>(0) = player_.Sum();
    *row.Data<std::int64_t>(1) = open_card_;
    *row.Data<std::int64_t>(2) = player_.HasUsableAce() ? 1 : 0;
  }

  // The observation, then the open card's suit (clubs, diamonds, hearts, spades) and, for a ten,
  // its face (jack, queen, king).
  void Scene(std::span<double> scene) const {
    scene[0] = player_.Sum();
    scene[1] = open_card_;
    scene[2] = player_.HasUsableAce() ? 1.0 : 0.0;
    scene[3] = suit_;
    scene[4] = face_;
  }

  void Save(StateWriter& state) const {
    dealer_.Save(state);
    player_.Save(state);
    state.Put(open_card_);
    state.Put(suit_);
    state.Put(face_);
  }
  void Load(StateReader& state) {
    dealer_.Load(state);
    player_.Load(state);
    state.GetWithin("the open card", open_card_, 1, kTen);
    state.GetWithin("the suit", suit_, 0, kNumSuits - 1);
    state.GetWithin("the face", face_, 0, kNumFaces - 1);
  }

 private:
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::natural>("natural"), AttributeOf<&Constants::sab>("sab")};

  static constexpr int kTen = 10;
  static constexpr int kBest = 21;
  static constexpr int kDealerStands = 17;  // also at every higher sum
  static constexpr int kNumRanks = 13;      // ace, 2 to 10, jack, queen, king
  static constexpr int kNumSuits = 4;
  static constexpr int kNumFaces = 3;

  class Hand {
   public:
    void Take(int card) {
      hard_sum_ += card;
      ++num_cards_;
      has_ace_ = has_ace_ || card == 1;
    }
    // An ace counts 11 if the sum does not exceed 21.
    bool HasUsableAce() const { return has_ace_ && hard_sum_ + 10 <= kBest; }
    int Sum() const { return HasUsableAce() ? hard_sum_ + 10 : hard_sum_; }
    int Score() const { return Sum() > kBest ? 0 : Sum(); }
    bool IsNatural() const { return num_cards_ == 2 && has_ace_ && hard_sum_ == 11; }
    void Save(StateWriter& state) const {
      state.Put(hard_sum_);
      state.Put(num_cards_);
      state.Put(has_ace_);
    }
    void Load(StateReader& state) {
      // A hand takes no card after a sum of 22 or more, and each card counts at least 1.
      state.GetWithin("a hand's sum", hard_sum_, 0, kBest + kTen);
      state.GetWithin("a hand's number of cards", num_cards_, 0, kBest + 1);
      state.Get(has_ace_);
    }

   private:
    int hard_sum_ = 0;  // the sum in which each ace counts 1
    int num_cards_ = 0;
    bool has_ace_ = false;
  };

  static int DrawCard(Rng& rng) {
    return std::min(static_cast<int>(rng.Choice(kNumRanks)) + 1, kTen);
  }

  Hand dealer_;
  Hand player_;
  int open_card_ = 1;  // the dealer's first card
  std::uint8_t suit_ = 0;
  std::uint8_t face_ = 0;
  SharedAttributes<Constants> constants_;
};

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_BLACKJACK_H_
