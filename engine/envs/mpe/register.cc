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
  using mpe::Game;
  registry.Add<Game<mpe::Simple>>("MPE-Simple-v3", {});
  registry.Add<Game<mpe::Adversary>>("MPE-SimpleAdversary-v3", {});
  registry.Add<Game<mpe::Crypto>>("MPE-SimpleCrypto-v3", {});
  registry.Add<Game<mpe::Push>>("MPE-SimplePush-v3", {});
  registry.Add<Game<mpe::Reference>>("MPE-SimpleReference-v3", {});
  registry.Add<Game<mpe::SpeakerListener>>("MPE-SimpleSpeakerListener-v4", {});
  registry.Add<Game<mpe::Spread>>("MPE-SimpleSpread-v3", {});
  registry.Add<Game<mpe::Tag>>("MPE-SimpleTag-v3", {});
  registry.Add<Game<mpe::WorldComm>>("MPE-SimpleWorldComm-v3", {});
  registry.Add<Game<mpe::Formation>>("MPE-SimpleFormation-v1", {});
  registry.Add<Game<mpe::Line>>("MPE-SimpleLine-v1", {});
  registry.Add<Game<mpe::CollectTreasure>>("MPE-CollectTreasure-v1", {});
}

}  // namespace engine
