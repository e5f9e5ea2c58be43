/* The C interface, for plug-ins that are written in C or that fill its structs themselves; see
   docs/plugin-interface.md. C++ plug-ins include <envpool.h>. */
#ifndef ENVPOOL_ABI_H_
#define ENVPOOL_ABI_H_

#include "engine/c_interface/abi_random.h"
#include "engine/c_interface/build_stamp.h"
#include "engine/c_interface/plugin_abi.h"

#endif /* ENVPOOL_ABI_H_ */
