# Debian packages, by `cpack -G DEB` in a build folder that is configured with -DCMAKE_INSTALL_PREFIX=/usr:
#
#   libco4-0      the shared libraries libco4, libco4_extras and libco4_test
#   libco4-tls0   the shared library for TLS, where there is OpenSSL
#   libco4-nats0  the shared library for NATS, where there are OpenSSL and jansson
#   libco4-http0  the shared library for HTTP, where there is OpenSSL
#   libco4-websocket0  that for WebSockets, where there are OpenSSL and wslay
#   libco4-dev    headers, archives, pkg-config, CMake package, co4, co4top, co4prof, co4test, the script for gdb
#   co4weave      the tool
#   libco4-doc    the reference, HTML and manual pages, where it was built: cmake --build . --target reference
#
# CPack finds what programs are linked with. co4weave loads libclang when it needs it, so its package is named here.
# cmake/debian/complete.cmake makes of the installed files what Debian's policy asks for.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT TARGET co4_shared OR CO4_WEAVER)
  return()
endif()
find_program(CO4_DPKG dpkg)
mark_as_advanced(CO4_DPKG)
if(NOT CO4_DPKG)
  return()
endif()

# No mail reaches this address: example.org is reserved for that. A distributor of packages names itself in its place.
set(CO4_PACKAGE_CONTACT "The co4 authors <co4@example.org>" CACHE STRING "The maintainer that Debian packages name")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME co4)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own; CPack would put this one in front
set(CPACK_PACKAGE_CONTACT ${CO4_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library development weaver)
if(TARGET co4_tls_shared)
  list(APPEND CPACK_COMPONENTS_ALL tls)
endif()
if(TARGET co4_nats_shared)
  list(APPEND CPACK_COMPONENTS_ALL nats)
endif()
if(TARGET co4_http_shared)
  list(APPEND CPACK_COMPONENTS_ALL http)
endif()
if(TARGET co4_websocket_shared)
  list(APPEND CPACK_COMPONENTS_ALL websocket)
endif()
option(CO4_PACKAGE_REFERENCE "Make the package libco4-doc" OFF)
if(CO4_PACKAGE_REFERENCE)
  list(APPEND CPACK_COMPONENTS_ALL reference)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1) # less than 1: packages of a distribution replace these
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(co4_deb_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libco4-${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "pausable C functions, shared library
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has the library that such programs run with.")

set(CPACK_DEBIAN_TLS_PACKAGE_NAME libco4-tls${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_TLS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_TLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}) # libco4 itself
set(CPACK_DEBIAN_TLS_PACKAGE_DEPENDS "libco4-${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
set(CPACK_DEBIAN_TLS_DESCRIPTION "pausable C functions, shared library for TLS
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has the library that such programs make TLS connections with,
by OpenSSL.")

set(CPACK_DEBIAN_NATS_PACKAGE_NAME libco4-nats${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_NATS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_NATS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_NATS_PACKAGE_DEPENDS
  "libco4-${PROJECT_VERSION_MAJOR} (= ${co4_deb_version}), libco4-tls${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
set(CPACK_DEBIAN_NATS_PACKAGE_SUGGESTS nats-server)
set(CPACK_DEBIAN_NATS_DESCRIPTION "pausable C functions, shared library for NATS
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has the library by which such programs on several machines send
each other messages, requests and work, over servers of NATS.")

set(CPACK_DEBIAN_HTTP_PACKAGE_NAME libco4-http${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_HTTP_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_HTTP_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_HTTP_PACKAGE_DEPENDS ${CPACK_DEBIAN_NATS_PACKAGE_DEPENDS})
set(CPACK_DEBIAN_HTTP_DESCRIPTION "pausable C functions, shared library for HTTP
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has the library by which such programs are servers and clients
of HTTP.")

set(CPACK_DEBIAN_WEBSOCKET_PACKAGE_NAME libco4-websocket${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_WEBSOCKET_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_WEBSOCKET_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_WEBSOCKET_PACKAGE_DEPENDS
  "${CPACK_DEBIAN_HTTP_PACKAGE_DEPENDS}, libco4-http${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
set(CPACK_DEBIAN_WEBSOCKET_DESCRIPTION "pausable C functions, shared library for WebSockets
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has the library by which such programs are servers and clients
of WebSockets.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libco4-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON) # of what co4prof loads into programs
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libco4-${PROJECT_VERSION_MAJOR} (= ${co4_deb_version}), co4weave (= ${co4_deb_version}), libc6-dev, python3:any")
if(TARGET co4_tls_shared)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libco4-tls${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS libssl-dev) # for programs that link the archive, or by CMake
endif()
if(TARGET co4_nats_shared)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libco4-nats${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS ", libjansson-dev")
endif()
if(TARGET co4_http_shared)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libco4-http${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
endif()
if(TARGET co4_websocket_shared)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libco4-websocket${PROJECT_VERSION_MAJOR} (= ${co4_deb_version})")
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS ", libwslay-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "pausable C functions, headers and archives
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own. The tool co4weave rewrites them
into plain C11.

This package has what it takes to build such programs: headers, archives,
also for AddressSanitizer and ThreadSanitizer, files for pkg-config and CMake,
a script for gdb, co4top and co4prof, which show what programs do,
co4test, which runs programs of threads in many orders, and co4-proxy, which
connects programs in web pages to servers.")

set(CPACK_DEBIAN_WEAVER_PACKAGE_NAME co4weave)
set(CPACK_DEBIAN_WEAVER_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_WEAVER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_WEAVER_PACKAGE_RECOMMENDS "libco4-dev (= ${co4_deb_version}), gcc | c-compiler")
set(CPACK_DEBIAN_WEAVER_DESCRIPTION "pausable C functions, source-to-source tool
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own.

This package has the tool that rewrites them into plain C11, for one file,
or in front of a compiler.")
get_filename_component(co4_libclang ${LibClang_LIBRARY} REALPATH)
execute_process(COMMAND ${CO4_DPKG} -S ${co4_libclang} OUTPUT_VARIABLE co4_libclang_package
  RESULT_VARIABLE co4_unknown ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT co4_unknown)
  string(REGEX REPLACE ":.*" "" co4_libclang_package "${co4_libclang_package}")
  set(CPACK_DEBIAN_WEAVER_PACKAGE_DEPENDS ${co4_libclang_package})
endif()

set(CPACK_DEBIAN_REFERENCE_PACKAGE_NAME libco4-doc)
set(CPACK_DEBIAN_REFERENCE_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_REFERENCE_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_REFERENCE_DESCRIPTION "pausable C functions, reference
Functions in C that wait for a message, a timer or another task without
a thread and without a stack of their own.

This package has pages for all functions, types and macros of the library,
as HTML and as manual pages.")

# A program needs the library of the minor release that it was built with (docs/stability.md).
math(EXPR co4_next_minor "${PROJECT_VERSION_MINOR} + 1")
set(co4_so ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs CONTENT
  "libco4 @PROJECT_VERSION_MAJOR@ @co4_so@ (>= @PROJECT_VERSION@), @co4_so@ (<< @PROJECT_VERSION_MAJOR@.@co4_next_minor@~)
libco4_extras @PROJECT_VERSION_MAJOR@ @co4_so@ (>= @PROJECT_VERSION@), @co4_so@ (<< @PROJECT_VERSION_MAJOR@.@co4_next_minor@~)
libco4_test @PROJECT_VERSION_MAJOR@ @co4_so@ (>= @PROJECT_VERSION@), @co4_so@ (<< @PROJECT_VERSION_MAJOR@.@co4_next_minor@~)\n"
  @ONLY)
foreach(component IN ITEMS TLS NATS HTTP WEBSOCKET)
  string(TOLOWER ${component} co4_folder)
  set(co4_so ${CPACK_DEBIAN_${component}_PACKAGE_NAME})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/${co4_folder}/shlibs CONTENT
    "libco4_@co4_folder@ @PROJECT_VERSION_MAJOR@ @co4_so@ (>= @PROJECT_VERSION@), @co4_so@ (<< @PROJECT_VERSION_MAJOR@.@co4_next_minor@~)\n"
    @ONLY)
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n" @ONLY)
# postinst and postrm do not exist: CPack passes over them, and writes none of its own that would call ldconfig a second time.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers
  postinst postrm)
foreach(component IN ITEMS TLS NATS HTTP WEBSOCKET)
  string(TOLOWER ${component} co4_folder)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/${co4_folder}/shlibs
    ${PROJECT_BINARY_DIR}/debian/triggers postinst postrm)
endforeach()

string(TIMESTAMP co4_deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, where it is set
configure_file(cmake/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(co4_documents ${PROJECT_BINARY_DIR}/debian)
configure_file(cmake/debian/complete.cmake.in ${PROJECT_BINARY_DIR}/debian/complete.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian/complete.cmake)
include(CPack)
