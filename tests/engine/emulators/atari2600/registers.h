// The TIA's registers by their usual names, for tests.
#ifndef ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_REGISTERS_H_
#define ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_REGISTERS_H_

namespace engine::atari2600::testing {

// Write registers.
enum : int {
  kVsync = 0x00,
  kVblank,
  kWsync,
  kRsync,
  kNusiz0,
  kNusiz1,
  kColup0,
  kColup1,
  kColupf,
  kColubk,
  kCtrlpf,
  kRefp0,
  kRefp1,
  kPf0,
  kPf1,
  kPf2,
  kResp0,
  kResp1,
  kResm0,
  kResm1,
  kResbl,
  kAudc0,
  kAudc1,
  kAudf0,
  kAudf1,
  kAudv0,
  kAudv1,
  kGrp0,
  kGrp1,
  kEnam0,
  kEnam1,
  kEnabl,
  kHmp0,
  kHmp1,
  kHmm0,
  kHmm1,
  kHmbl,
  kVdelp0,
  kVdelp1,
  kVdelbl,
  kResmp0,
  kResmp1,
  kHmove,
  kHmclr,
  kCxclr,
};

// Read registers.
enum : int {
  kCxm0p = 0x00,
  kCxm1p,
  kCxp0fb,
  kCxp1fb,
  kCxm0fb,
  kCxm1fb,
  kCxblpf,
  kCxppmm,
  kInpt0,
  kInpt1,
  kInpt2,
  kInpt3,
  kInpt4,
  kInpt5,
};

}  // namespace engine::atari2600::testing

#endif  // ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_REGISTERS_H_
