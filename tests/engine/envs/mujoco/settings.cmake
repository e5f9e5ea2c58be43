# MuJoCo's library, which the family opens at run time, and Gymnasium's models.
if(NOT TARGET family_mujoco)
  return()
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
    "import importlib.util as u; print(u.find_spec('gymnasium').submodule_search_locations[0], end='')"
  OUTPUT_VARIABLE gymnasium_root COMMAND_ERROR_IS_FATAL ANY)
file(GLOB mujoco_library "${mujoco_root}/libmujoco.so.*")
file(GLOB mujoco_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*_test.cc")
set_source_files_properties(${mujoco_tests} PROPERTIES COMPILE_DEFINITIONS
  "MUJOCO_LIBRARY=\"${mujoco_library}\";MUJOCO_PLUGINS=\"${mujoco_root}/plugin\";MUJOCO_MODELS=\"${gymnasium_root}/envs/mujoco/assets\"")
