# What a plug-in links: one static library of the layers of plugin_headers.cmake, with NumPy's distributions in it.
set(plugin_units engine_environments)
if(ENVPOOL_TESTS)
  list(TRANSFORM plugin_layers PREPEND engine_ OUTPUT_VARIABLE plugin_units)
endif()
list(TRANSFORM plugin_units REPLACE ".+" "$<TARGET_FILE:\\0>" OUTPUT_VARIABLE plugin_archives)
list(APPEND plugin_archives "$<TARGET_PROPERTY:numpy::npyrandom,IMPORTED_LOCATION>")
if(ENVPOOL_OLD_LIBRARIES)
  list(APPEND plugin_archives "${ENVPOOL_OLD_LIBRARIES}/libplugins.a")
endif()

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
  DEPENDS ${plugin_units} COMMENT "Merging libenvpool_py.a" VERBATIM)
add_custom_target(plugin_library ALL DEPENDS "${plugin_library}")

configure_file(cmake/envpool_py-config-version.cmake.in envpool_py-config-version.cmake @ONLY)
install(FILES "${plugin_library}" DESTINATION envpool_py/lib COMPONENT python)
install(FILES cmake/envpool_py-config.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/envpool_py-config-version.cmake"
        DESTINATION envpool_py/cmake COMPONENT python)
