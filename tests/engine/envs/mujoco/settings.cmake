# MuJoCo's headers and library, with which these tests compare the family and which it opens at run
# time, and Gymnasium's models. ENVPOOL_MUJOCO_PACKAGE names the directory `mujoco` of another
# version than that of the Python that builds (`make check-mujoco`).
set(ENVPOOL_MUJOCO_PACKAGE "" CACHE PATH "The mujoco package that the C++ tests use")
set(mujoco_root "${ENVPOOL_MUJOCO_PACKAGE}")
if(NOT mujoco_root)
  # Without importing it, which would load the library.
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
      "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0], end='')"
    OUTPUT_VARIABLE mujoco_root ERROR_QUIET)
endif()
if(NOT EXISTS "${mujoco_root}/include/mujoco/mujoco.h")
  message(STATUS "No mujoco package in ${Python_EXECUTABLE}: its C++ tests are left out")
  list(FILTER test_sources EXCLUDE REGEX "/envs/mujoco/")
  return()
endif()
message(STATUS "MuJoCo of the tests: ${mujoco_root}")
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
    "import importlib.util as u; print(u.find_spec('gymnasium').submodule_search_locations[0], end='')"
  OUTPUT_VARIABLE gymnasium_root COMMAND_ERROR_IS_FATAL ANY)
file(GLOB mujoco_library "${mujoco_root}/libmujoco.so.*")
file(GLOB mujoco_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*_test.cc")
set_source_files_properties(${mujoco_tests} PROPERTIES
  COMPILE_OPTIONS "-isystem;${mujoco_root}/include"
  COMPILE_DEFINITIONS
    "MUJOCO_LIBRARY=\"${mujoco_library}\";MUJOCO_PLUGINS=\"${mujoco_root}/plugin\";MUJOCO_MODELS=\"${gymnasium_root}/envs/mujoco/assets\"")
