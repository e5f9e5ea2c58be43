# find_package(envpool_py): what builds a plug-in, an extension module that adds environments.
#
#   find_package(envpool_py REQUIRED)
#   envpool_py_add_module(my_env my_env.cc)
#
# The first argument is the name in ENVPOOL_PLUGIN(my_env). Neither Python's headers nor pybind11 is
# needed. `python -m envpool_py --cmakedir` prints the directory of this file.
get_filename_component(_envpool_py_root "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)

if(NOT TARGET envpool_py::envpool_py)
  add_library(envpool_py::envpool_py STATIC IMPORTED)
  set_target_properties(envpool_py::envpool_py PROPERTIES
    IMPORTED_LOCATION "${_envpool_py_root}/lib/libenvpool_py.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_envpool_py_root}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES m)
endif()

function(envpool_py_add_module name)
  if(NOT ARGN)
    message(FATAL_ERROR "envpool_py_add_module(${name}): expected source files, got none")
  endif()
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE envpool_py::envpool_py)
  # Results must not depend on the processor: no fused multiply-add.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    target_compile_options(${name} PRIVATE -O3)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    # Not a system include directory: compilers suppress the warnings of check_environment.h there.
    NO_SYSTEM_FROM_IMPORTED ON)
  if(APPLE)
    target_link_options(${name} PRIVATE "LINKER:-undefined,dynamic_lookup")
  else()
    target_link_options(${name} PRIVATE "LINKER:--exclude-libs,ALL")
  endif()
endfunction()
