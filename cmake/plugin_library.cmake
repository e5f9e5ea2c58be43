# What a plug-in links: one static library of the layers of plugin_headers.cmake, with NumPy's distributions in it.
# Objects of a build with link-time optimisation can be read by the same compiler only, so they are compiled once more.
list(TRANSFORM plugin_layers PREPEND engine_)
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  set(plugin_sources "")
  foreach(layer IN LISTS plugin_layers)
    get_target_property(layer_sources ${layer} SOURCES)
    list(APPEND plugin_sources ${layer_sources})
  endforeach()
  add_library(plugin_engine STATIC ${plugin_sources})
  target_link_libraries(plugin_engine PRIVATE engine_flags engine_headers numpy::npyrandom)
  set_target_properties(plugin_engine PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0 INTERPROCEDURAL_OPTIMIZATION OFF)
  set(plugin_layers plugin_engine)
endif()
set(plugin_archives ${plugin_layers})
list(TRANSFORM plugin_archives REPLACE ".+" "$<TARGET_FILE:\\0>")
list(APPEND plugin_archives "$<TARGET_PROPERTY:numpy::npyrandom,IMPORTED_LOCATION>")

set(plugin_library "${CMAKE_CURRENT_BINARY_DIR}/libenvpool_py.a")
if(APPLE)
  set(merge_command libtool -static -o "${plugin_library}" ${plugin_archives})
else()
  set(merge_script "CREATE ${plugin_library}\n")
  foreach(archive IN LISTS plugin_archives)
    string(APPEND merge_script "ADDLIB ${archive}\n")
  endforeach()
  string(APPEND merge_script "SAVE\nEND\n")
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/merge_plugin_library.mri"
       CONTENT "${merge_script}")
  set(merge_command "${CMAKE_AR}" -M < "${CMAKE_CURRENT_BINARY_DIR}/merge_plugin_library.mri")
endif()
add_custom_command(OUTPUT "${plugin_library}" COMMAND ${merge_command}
  DEPENDS ${plugin_layers} COMMENT "Merging libenvpool_py.a" VERBATIM)
add_custom_target(plugin_library ALL DEPENDS "${plugin_library}")

configure_file(cmake/envpool_py-config-version.cmake.in envpool_py-config-version.cmake @ONLY)
install(FILES "${plugin_library}" DESTINATION envpool_py/lib COMPONENT python)
install(FILES cmake/envpool_py-config.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/envpool_py-config-version.cmake"
        DESTINATION envpool_py/cmake COMPONENT python)
