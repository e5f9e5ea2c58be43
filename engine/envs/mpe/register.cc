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
  using SimpleGame = mpe::Game<mpe::Simple>;
  using AdversaryGame = mpe::Game<mpe::Adversary>;
  using CryptoGame = mpe::Game<mpe::Crypto>;
  using PushGame = mpe::Game<mpe::Push>;
  using ReferenceGame = mpe::Game<mpe::Reference>;
  using SpeakerListenerGame = mpe::Game<mpe::SpeakerListener>;
  using SpreadGame = mpe::Game<mpe::Spread>;
  using TagGame = mpe::Game<mpe::Tag>;
  using WorldCommGame = mpe::Game<mpe::WorldComm>;
  using FormationGame = mpe::Game<mpe::Formation>;
  using LineGame = mpe::Game<mpe::Line>;
  using CollectTreasureGame = mpe::Game<mpe::CollectTreasure>;
  registry.Add<SimpleGame>("MPE-Simple-v3", {});
  registry.Add<AdversaryGame>("MPE-SimpleAdversary-v3", {});
  registry.Add<CryptoGame>("MPE-SimpleCrypto-v3", {});
  registry.Add<PushGame>("MPE-SimplePush-v3", {});
  registry.Add<ReferenceGame>("MPE-SimpleReference-v3", {});
  registry.Add<SpeakerListenerGame>("MPE-SimpleSpeakerListener-v4", {});
  registry.Add<SpreadGame>("MPE-SimpleSpread-v3", {});
  registry.Add<TagGame>("MPE-SimpleTag-v3", {});
  registry.Add<WorldCommGame>("MPE-SimpleWorldComm-v3", {});
  registry.Add<FormationGame>("MPE-SimpleFormation-v1", {});
  registry.Add<LineGame>("MPE-SimpleLine-v1", {});
  registry.Add<CollectTreasureGame>("MPE-CollectTreasure-v1", {});
}

}  // namespace engine
