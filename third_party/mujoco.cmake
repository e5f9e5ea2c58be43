# mujoco::headers  the C headers of the mujoco package of the Python that builds
# Nothing is linked: the library is that of the mujoco package of the Python that runs, opened when a
# MuJoCo task is first made, and it must be of this very version, for its structures are in the
# headers. Without the package, ENVPOOL_MUJOCO=AUTO leaves the family out and ON is an error.
set(ENVPOOL_MUJOCO AUTO CACHE STRING "The MuJoCo family: ON, OFF, or AUTO (if its headers are there)")
set_property(CACHE ENVPOOL_MUJOCO PROPERTY STRINGS AUTO ON OFF)
if(NOT ENVPOOL_MUJOCO)
  return()
endif()

# Without importing it, which would load the library.
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
    "import importlib.util as u; print(next(iter(u.find_spec('mujoco').submodule_search_locations)), end='')"
  OUTPUT_VARIABLE mujoco_root RESULT_VARIABLE mujoco_result ERROR_QUIET)
set(mujoco_header "${mujoco_root}/include/mujoco/mujoco.h")
if(NOT mujoco_result EQUAL 0 OR NOT EXISTS "${mujoco_header}")
  if(ENVPOOL_MUJOCO STREQUAL "AUTO")
    message(STATUS "No mujoco package in ${Python_EXECUTABLE}: the MuJoCo family is left out")
  else()
    message(FATAL_ERROR "The MuJoCo family needs the mujoco package in ${Python_EXECUTABLE}; "
      "install it, or build with -DENVPOOL_MUJOCO=OFF")
  endif()
  return()
endif()

file(STRINGS "${mujoco_header}" mujoco_version REGEX "^#define mjVERSION_HEADER [0-9]+$")
string(REGEX REPLACE "^.* ([0-9]+)$" "\\1" mujoco_version "${mujoco_version}")
add_library(mujoco::headers INTERFACE IMPORTED)
set_target_properties(mujoco::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${mujoco_root}/include"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${mujoco_root}/include")
message(STATUS "MuJoCo ${mujoco_version}: ${mujoco_root}")
