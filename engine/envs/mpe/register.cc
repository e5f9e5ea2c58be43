// The ids of the MPE2 scenarios, with the versions of MPE2 1.1.1. An episode's length is the option
// max_cycles. Called once when the engine's module is loaded.
#include "engine/envs/mpe/adversary.h"
#include "engine/envs/mpe/collect_treasure.h"
#include "engine/envs/mpe/crypto.h"
#include "engine/envs/mpe/formation.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/line.h"
#include "engine/envs/mpe/push.h"
#include "engine/envs/mpe/reference.h"
#include "engine/envs/mpe/simple.h"
#include "engine/envs/mpe/speaker_listener.h"
#include "engine/envs/mpe/spread.h"
#include "engine/envs/mpe/tag.h"
#include "engine/envs/mpe/world_comm.h"
#include "engine/tasks/registry.h"

namespace engine {

void RegisterMpe(Registry& registry) {
  using Simple = mpe::Game<mpe::Simple>;
  using Adversary = mpe::Game<mpe::Adversary>;
  using Crypto = mpe::Game<mpe::Crypto>;
  using Push = mpe::Game<mpe::Push>;
  using Reference = mpe::Game<mpe::Reference>;
  using SpeakerListener = mpe::Game<mpe::SpeakerListener>;
  using Spread = mpe::Game<mpe::Spread>;
  using Tag = mpe::Game<mpe::Tag>;
  using WorldComm = mpe::Game<mpe::WorldComm>;
  using Formation = mpe::Game<mpe::Formation>;
  using Line = mpe::Game<mpe::Line>;
  using CollectTreasure = mpe::Game<mpe::CollectTreasure>;
  registry.Add<Simple>("MPE-Simple-v3", {});
  registry.Add<Adversary>("MPE-SimpleAdversary-v3", {});
  registry.Add<Crypto>("MPE-SimpleCrypto-v3", {});
  registry.Add<Push>("MPE-SimplePush-v3", {});
  registry.Add<Reference>("MPE-SimpleReference-v3", {});
  registry.Add<SpeakerListener>("MPE-SimpleSpeakerListener-v4", {});
  registry.Add<Spread>("MPE-SimpleSpread-v3", {});
  registry.Add<Tag>("MPE-SimpleTag-v3", {});
  registry.Add<WorldComm>("MPE-SimpleWorldComm-v3", {});
  registry.Add<Formation>("MPE-SimpleFormation-v1", {});
  registry.Add<Line>("MPE-SimpleLine-v1", {});
  registry.Add<CollectTreasure>("MPE-CollectTreasure-v1", {});
}

}  // namespace engine
