// The TIA's registers by their usual names, for tests. Constant data, any thread.
#ifndef ENGINE_TESTS_ENGINE_ENVS_ATARI_REGISTERS_H_
#define ENGINE_TESTS_ENGINE_ENVS_ATARI_REGISTERS_H_

namespace engine::atari::testing {

// Written.
enum : int {
  VSYNC = 0x00,
  VBLANK,
  WSYNC,
  RSYNC,
  NUSIZ0,
  NUSIZ1,
  COLUP0,
  COLUP1,
  COLUPF,
  COLUBK,
  CTRLPF,
  REFP0,
  REFP1,
  PF0,
  PF1,
  PF2,
  RESP0,
  RESP1,
  RESM0,
  RESM1,
  RESBL,
  AUDC0,
  AUDC1,
  AUDF0,
  AUDF1,
  AUDV0,
  AUDV1,
  GRP0,
  GRP1,
  ENAM0,
  ENAM1,
  ENABL,
  HMP0,
  HMP1,
  HMM0,
  HMM1,
  HMBL,
  VDELP0,
  VDELP1,
  VDELBL,
  RESMP0,
  RESMP1,
  HMOVE,
  HMCLR,
  CXCLR,
};

// Read.
enum : int {
  CXM0P = 0x00,
  CXM1P,
  CXP0FB,
  CXP1FB,
  CXM0FB,
  CXM1FB,
  CXBLPF,
  CXPPMM,
  INPT0,
  INPT1,
  INPT2,
  INPT3,
  INPT4,
  INPT5,
};

}  // namespace engine::atari::testing

#endif  // ENGINE_TESTS_ENGINE_ENVS_ATARI_REGISTERS_H_
