/* The header of a plug-in that is written in C, or that fills the structs of the C interface
   itself: docs/plugin-interface.md. Plug-ins in C++ include <envpool.h>. */
#ifndef ENVPOOL_ABI_H_
#define ENVPOOL_ABI_H_

#include "engine/env/abi.h"
#include "engine/env/abi_random.h"
#include "engine/env/build_stamp.h"

#endif /* ENVPOOL_ABI_H_ */
