# find_package(Jansson): Jansson_FOUND, Jansson_VERSION, and the target Jansson::Jansson. Not every system's jansson has a
# CMake package of its own. Also installed: programs that link co4_nats find it with this.
find_path(Jansson_INCLUDE_DIR jansson.h)
find_library(Jansson_LIBRARY jansson)
mark_as_advanced(Jansson_INCLUDE_DIR Jansson_LIBRARY)
if(Jansson_INCLUDE_DIR)
  file(STRINGS ${Jansson_INCLUDE_DIR}/jansson.h Jansson_VERSION REGEX "^#define JANSSON_VERSION +\"")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" Jansson_VERSION "${Jansson_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jansson REQUIRED_VARS Jansson_LIBRARY Jansson_INCLUDE_DIR VERSION_VAR Jansson_VERSION)
if(Jansson_FOUND AND NOT TARGET Jansson::Jansson)
  add_library(Jansson::Jansson UNKNOWN IMPORTED)
  set_target_properties(Jansson::Jansson PROPERTIES
    IMPORTED_LOCATION ${Jansson_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Jansson_INCLUDE_DIR})
endif()
