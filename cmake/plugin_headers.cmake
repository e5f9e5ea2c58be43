# The headers that a plug-in includes: those of include/ and of these layers of the engine. They are installed with the
# package. Their text is a part of the stamp that the core compares when it loads a plug-in
# (engine/tasks/plugin_stamp.h), so this is read again when one of them changes.
set(plugin_layers base control env draw group c_interface tasks physics2d)
set(plugin_generated_headers "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(plugin_headers include/envpool.h include/envpool_abi.h)
foreach(layer IN LISTS plugin_layers)
  file(GLOB layer_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
       "engine/${layer}/*.h")
  list(APPEND plugin_headers ${layer_headers})
endforeach()
list(SORT plugin_headers)

set(text "")
foreach(header IN LISTS plugin_headers)
  file(SHA256 "${CMAKE_CURRENT_SOURCE_DIR}/${header}" hash)
  string(APPEND text "${header} ${hash}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endforeach()
string(SHA256 ENVPOOL_HEADERS "${text}")
string(SUBSTRING "${ENVPOOL_HEADERS}" 0 16 ENVPOOL_HEADERS)

# What the compiler's standard library says about itself (engine/tasks/plugin_stamp.h).
function(read_standard_library library string_abi)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/standard_library.cc")
  file(WRITE "${source}" "#include <string>
#ifdef _LIBCPP_VERSION
envpool \"libc++\" _LIBCPP_ABI_NAMESPACE
#elif _GLIBCXX_USE_CXX11_ABI
envpool \"libstdc++\" cxx11
#else
envpool \"libstdc++\" before cxx11
#endif
")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -std=c++20 -E -P "${source}"
    OUTPUT_VARIABLE text RESULT_VARIABLE result ERROR_VARIABLE error)
  if(NOT result EQUAL 0 OR NOT text MATCHES "envpool \"([^\"]+)\" ([^\n]+)")
    message(FATAL_ERROR "The compiler does not preprocess ${source}:\n${error}")
  endif()
  set(${library} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(${string_abi} "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()
read_standard_library(ENVPOOL_STANDARD_LIBRARY ENVPOOL_STRING_ABI)
configure_file(engine/c_interface/build_stamp.h.in
               "${plugin_generated_headers}/engine/c_interface/build_stamp.h" @ONLY)

install(FILES include/envpool.h include/envpool_abi.h DESTINATION envpool_py/include COMPONENT python)
foreach(layer IN LISTS plugin_layers)
  set(headers ${plugin_headers})
  list(FILTER headers INCLUDE REGEX "^engine/${layer}/")
  install(FILES ${headers} DESTINATION "envpool_py/include/engine/${layer}" COMPONENT python)
endforeach()
install(FILES "${plugin_generated_headers}/engine/c_interface/build_stamp.h"
        DESTINATION envpool_py/include/engine/c_interface COMPONENT python)
