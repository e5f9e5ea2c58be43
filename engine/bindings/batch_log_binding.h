// The Python class BatchLog, which reads a log of batches (runtime/batch_log.h).
#ifndef ENGINE_BINDINGS_BATCH_LOG_BINDING_H_
#define ENGINE_BINDINGS_BATCH_LOG_BINDING_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

void RegisterBatchLog(pybind11::module_& module);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_BATCH_LOG_BINDING_H_
