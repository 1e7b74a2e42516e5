# What `cmake --install` puts where: the tool, both libraries, headers, the CMake package, pkg-config,
# the script for gdb, the reference, the license.
include(CMakePackageConfigHelpers)

set(co4_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/co4)

# Components are Debian's packages (cmake/package.cmake): library, development, weaver, reference.
set(installed co4_small)
if(TARGET co4)
  list(APPEND installed co4)
endif()
install(TARGETS ${installed} EXPORT co4Targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Each in an export of its own, and only if it was built: they take a third of a build, and a first one can do without.
foreach(sanitizer IN LISTS CO4_SANITIZERS)
  install(TARGETS co4_${sanitizer} EXPORT co4_${sanitizer}Targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/co4/${sanitizer} COMPONENT development OPTIONAL
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT co4_${sanitizer}Targets NAMESPACE co4:: DESTINATION ${co4_package_dir} COMPONENT development)
endforeach()
if(TARGET co4_shared)
  list(APPEND installed co4_shared ${co4_shared_parts})
  install(TARGETS co4_shared ${co4_shared_parts} EXPORT co4Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(co4_linker_script)
    install(FILES ${co4_linker_script} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  endif()
endif()
if(NOT CO4_WEAVER) # else it is installed already, or not at all: it does not run on the target
  list(APPEND installed co4weave)
  install(TARGETS co4weave EXPORT co4Targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT weaver)
endif()
# Libraries of their own, each in an export of its own: find_package(co4) without their components needs nothing more.
foreach(part IN ITEMS tls nats http websocket)
  if(NOT TARGET co4_${part})
    continue()
  endif()
  string(SUBSTRING ${part} 0 1 first)
  string(TOUPPER ${first} first)
  string(SUBSTRING ${part} 1 -1 rest)
  set(export co4${first}${rest})
  list(APPEND installed co4_${part})
  install(TARGETS co4_${part} EXPORT ${export}Targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(TARGET co4_${part}_shared)
    list(APPEND installed co4_${part}_shared)
    install(TARGETS co4_${part}_shared EXPORT ${export}Targets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part} NAMELINK_COMPONENT development
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  install(EXPORT ${export}Targets NAMESPACE co4:: DESTINATION ${co4_package_dir} COMPONENT development)
endforeach()
if(TARGET co4_nats)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindJansson.cmake DESTINATION ${co4_package_dir} COMPONENT development)
endif()
if(TARGET co4_websocket)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindWslay.cmake DESTINATION ${co4_package_dir} COMPONENT development)
endif()
if(TARGET co4_prof)
  list(APPEND installed co4_prof)
  install(TARGETS co4_prof LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/co4 COMPONENT development)
endif()
if(TARGET co4-proxy)
  list(APPEND installed co4-proxy)
  install(TARGETS co4-proxy RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/co4-proxy.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT development)
endif()
# Builds what `cmake --install` has to have, and no more.
add_custom_target(co4_installed DEPENDS ${installed})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/co4weave.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT weaver)
install(FILES ${PROJECT_SOURCE_DIR}/share/co4/posix.roots DESTINATION ${CMAKE_INSTALL_DATADIR}/co4 COMPONENT weaver)
foreach(script IN ITEMS co4 co4top co4prof co4test co4-playground)
  string(REPLACE co4- "" file ${script})
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/${file} DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${script}
    COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${script}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT development)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/co4/new DESTINATION ${CMAKE_INSTALL_DATADIR}/co4 COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/co4/playground DESTINATION ${CMAKE_INSTALL_DATADIR}/co4
  COMPONENT development PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/web/co4.mjs ${PROJECT_SOURCE_DIR}/web/library.js ${PROJECT_SOURCE_DIR}/web/tasks.mjs
  DESTINATION ${CMAKE_INSTALL_DATADIR}/co4/web COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/web/kernel DESTINATION ${CMAKE_INSTALL_DATADIR}/co4/web COMPONENT development
  FILES_MATCHING PATTERN "*.mjs")
install(FILES ${PROJECT_SOURCE_DIR}/share/co4/gdb/co4.py DESTINATION ${CMAKE_INSTALL_DATADIR}/co4/gdb
  COMPONENT development)
# Pages of the public headers. Doxygen makes them. They are installed when they were built before.
if(co4_is_top)
  add_custom_target(reference
    COMMAND ${PROJECT_SOURCE_DIR}/docs/reference/build ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/reference ${PROJECT_VERSION}
    COMMENT "Making the reference: reference/html, reference/man")
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT reference OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT reference OPTIONAL)
# A package has the license in its own copyright file.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
install(EXPORT co4Targets NAMESPACE co4:: DESTINATION ${co4_package_dir} COMPONENT development)

configure_package_config_file(cmake/co4Config.cmake.in ${PROJECT_BINARY_DIR}/co4Config.cmake
  INSTALL_DESTINATION ${co4_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/co4ConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/co4Config.cmake ${PROJECT_BINARY_DIR}/co4ConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/co4Weave.cmake
  DESTINATION ${co4_package_dir} COMPONENT development)

# pkg-config: co4 is the shared library, co4-static the archive by its path, for a linker prefers a shared library of the
# same name. Relative to the .pc file, so that an installed tree may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(co4_pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(co4_pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
else()
  set(co4_pc_folder "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH co4_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" co4_pc_up "${co4_pc_up}")
  set(co4_pc_prefix "\${pcfiledir}/${co4_pc_up}")
endif()
if(CO4_THREADS)
  set(co4_pc_libs " -pthread")
else()
  set(co4_pc_libs "")
endif()
if(CO4_HAS_LIBATOMIC)
  string(APPEND co4_pc_libs " -latomic")
endif()
# co4_pc(PACKAGE WHAT LIBS PRIVATE), with what it requires in co4_pc_requires. co4_pc_archive(RESULT LIBRARY): its path.
function(co4_pc_archive result library)
  set(${result} "\${libdir}/${CMAKE_STATIC_LIBRARY_PREFIX}${library}${CMAKE_STATIC_LIBRARY_SUFFIX}" PARENT_SCOPE)
endfunction()
function(co4_pc package what libs private)
  set(co4_pc_name ${package})
  set(co4_pc_what ${what})
  set(co4_pc_libs "${libs}")
  set(co4_pc_private "${private}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/co4.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  if(ARGN) # a library that may not have been built
    install(CODE "if(EXISTS \"$<TARGET_FILE:${ARGN}>\")
      file(INSTALL \"${PROJECT_BINARY_DIR}/${package}.pc\" DESTINATION \"${co4_pc_folder}\")
    endif()" COMPONENT development)
  else()
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
      COMPONENT development)
  endif()
endfunction()
if(TARGET co4)
  co4_pc(co4 "Compile with: \${co4weave} cc ..." "-L\${libdir} -lco4" "${co4_pc_libs}")
  co4_pc_archive(co4_archive co4)
  co4_pc(co4-static "The archive; compile with: \${co4weave} cc ..." "${co4_archive}${co4_pc_libs}" "")
  # PART|WHAT|REQUIRES|LIBRARIES
  foreach(part IN ITEMS "tls|TLS, by OpenSSL|co4|-lssl -lcrypto" "nats|NATS|co4_tls|-ljansson -lcrypto" "http|HTTP|co4_tls|"
      "websocket|WebSockets|co4_http|-lwslay -lcrypto")
    string(REPLACE "|" ";" part "${part}")
    list(GET part 0 name)
    list(GET part 1 what)
    list(GET part 2 requires)
    list(GET part 3 libraries)
    if(TARGET co4_${name})
      set(co4_pc_requires ${requires})
      co4_pc(co4_${name} "${what}." "-L\${libdir} -lco4_${name}" " ${libraries}")
      co4_pc_archive(co4_archive co4_${name})
      set(co4_pc_requires ${requires}-static)
      co4_pc(co4_${name}-static "${what}; the archive." "${co4_archive} ${libraries}" "")
    endif()
  endforeach()
  unset(co4_pc_requires)
  foreach(sanitizer IN LISTS CO4_SANITIZERS) # each only with its library
    co4_pc(co4-${sanitizer} "For programs built with -fsanitize=${sanitizer}."
      "-fsanitize=${sanitizer} \${libdir}/co4/${sanitizer}/${CMAKE_STATIC_LIBRARY_PREFIX}co4${CMAKE_STATIC_LIBRARY_SUFFIX}${co4_pc_libs}" "" co4_${sanitizer})
  endforeach()
endif()
