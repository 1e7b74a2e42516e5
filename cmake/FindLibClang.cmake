# Finds libclang, the C interface of clang: clang-c/Index.h and libclang.so, releases 14 to 19.
# The newest is taken unless CO4_LIBCLANG_VERSION (or LLVM_ROOT, a folder with include/ and lib/) says
# which. Defines the target LibClang::LibClang and LibClang_VERSION.

set(_libclang_versions 19 18 17 16 15 14)
if(CO4_LIBCLANG_VERSION)
  set(_libclang_versions ${CO4_LIBCLANG_VERSION})
endif()

if(LLVM_ROOT)
  set(_libclang_roots ${LLVM_ROOT})
else()
  set(_libclang_roots "")
  foreach(_version IN LISTS _libclang_versions)
    list(APPEND _libclang_roots
         /usr/lib/llvm-${_version} /usr/lib/llvm${_version} /usr/lib64/llvm${_version}
         /usr/local/llvm${_version} /opt/homebrew/opt/llvm@${_version})
  endforeach()
  if(NOT CO4_LIBCLANG_VERSION)
    list(APPEND _libclang_roots /usr /usr/local /opt/homebrew/opt/llvm)
  endif()
endif()

# Header and library have to be of one release, so they are looked for root by root.
if(NOT LibClang_LIBRARY OR NOT "${LibClang_ASKED}" STREQUAL "${CO4_LIBCLANG_VERSION};${LLVM_ROOT}")
  unset(LibClang_LIBRARY CACHE)
  unset(LibClang_INCLUDE_DIR CACHE)
  foreach(_root IN LISTS _libclang_roots)
    find_path(LibClang_INCLUDE_DIR clang-c/Index.h PATHS ${_root}/include NO_DEFAULT_PATH)
    find_library(LibClang_LIBRARY NAMES clang libclang PATHS ${_root}/lib ${_root}/lib64
                 ${_root}/lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
    if(LibClang_INCLUDE_DIR AND LibClang_LIBRARY)
      break()
    endif()
    unset(LibClang_INCLUDE_DIR CACHE)
    unset(LibClang_LIBRARY CACHE)
  endforeach()
  set(LibClang_ASKED "${CO4_LIBCLANG_VERSION};${LLVM_ROOT}" CACHE INTERNAL "")
endif()

set(LibClang_VERSION "")
if(LibClang_LIBRARY)
  # libclang.so is a link to libclang-14.so.14.0.6 or the like; its folder may say it too.
  get_filename_component(_libclang_real ${LibClang_LIBRARY} REALPATH)
  if(_libclang_real MATCHES "(libclang[-.]|\\.so\\.|llvm[-@]?)([0-9]+)")
    set(LibClang_VERSION ${CMAKE_MATCH_2})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang
  REQUIRED_VARS LibClang_LIBRARY LibClang_INCLUDE_DIR
  VERSION_VAR LibClang_VERSION
  REASON_FAILURE_MESSAGE
  "co4weave needs libclang, release 14 to 19, with its headers. On Debian and Ubuntu: apt-get install libclang-dev. \
Somewhere else: -DLLVM_ROOT=FOLDER (the one with include/clang-c/Index.h and lib/libclang.so).")
mark_as_advanced(LibClang_LIBRARY LibClang_INCLUDE_DIR)

if(LibClang_FOUND AND NOT TARGET LibClang::LibClang)
  add_library(LibClang::LibClang UNKNOWN IMPORTED)
  set_target_properties(LibClang::LibClang PROPERTIES
    IMPORTED_LOCATION ${LibClang_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LibClang_INCLUDE_DIR})
endif()
