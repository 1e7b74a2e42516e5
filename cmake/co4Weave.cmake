# co4_weave(target... [OPTIONS option...]): weaves the C sources of these targets.
# co4_weave(target... AUTO [OPTIONS option...]): the same without marks: what can reach a call of POSIX
# that waits pauses (docs/auto.md). The options are those of co4weave, such as --plain=NAME.
# Libraries of the project that should pause are static, and AUTO as well. Needs CMake 3.21.
#
# co4weave is put in front of the compiler (C_COMPILER_LAUNCHER), so flags, dependencies and
# compile_commands.json stay as they are, and sources with nothing pausable are compiled untouched. Works with the
# Ninja and Makefile generators. Call it after the target's sources are listed: its C sources are
# compiled again when co4weave changes.
#
# Rejected: add_custom_command per source. It would have to repeat every flag of the target, and
# editors would see the woven files instead of the user's.

# The path of the tool. A generator expression would say it shorter, but launchers take them only
# since CMake 3.27.
function(co4_weave_tool out)
  if(TARGET co4weave)
    get_target_property(tool co4weave IMPORTED_LOCATION) # in a build for another target
    if(NOT tool)
      get_target_property(folder co4weave RUNTIME_OUTPUT_DIRECTORY)
      set(tool ${folder}/co4weave${CMAKE_EXECUTABLE_SUFFIX})
    endif()
  else()
    get_target_property(tool co4::co4weave LOCATION)
  endif()
  set(${out} ${tool} PARENT_SCOPE)
endfunction()

function(co4_weave)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO" "" "OPTIONS")
  co4_weave_tool(tool)
  set(command ${tool})
  if(arg_AUTO)
    if(CMAKE_VERSION VERSION_LESS 3.21)
      message(FATAL_ERROR "co4_weave(AUTO) needs CMake 3.21, which can put co4weave in front of the linker")
    endif()
    list(APPEND command --auto)
  endif()
  list(APPEND command ${arg_OPTIONS})
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    get_target_property(before ${target} C_COMPILER_LAUNCHER)
    set(launchers ${command})
    if(before) # ccache, say
      list(APPEND launchers ${before})
    endif()
    set_target_properties(${target} PROPERTIES C_COMPILER_LAUNCHER "${launchers}")
    if(arg_AUTO)
      set_target_properties(${target} PROPERTIES C_LINKER_LAUNCHER "${command}")
    endif()
    if(TARGET co4weave)
      add_dependencies(${target} co4weave)
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      if(source MATCHES "\\.c$" AND NOT source MATCHES "\\$<")
        set_property(SOURCE ${source} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${tool})
      endif()
    endforeach()
  endforeach()
endfunction()

# co4_simulate(target [SEEDS n] [STRATEGY name] [OPTIONS option...] [ARGUMENTS word...]): weaves the executable as one
# of --auto=test, and adds the test simulate.TARGET, in which co4test runs it with n seeds (1000), with these arguments
# (docs/simulation.md). OPTIONS are those of co4weave, such as --preempt=access; libraries of the project that it is
# linked with have co4_weave(library AUTO OPTIONS --auto=test).
function(co4_simulate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SEEDS;STRATEGY" "OPTIONS;ARGUMENTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "co4_simulate: what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  co4_weave(${target} AUTO OPTIONS --auto=test ${arg_OPTIONS})
  co4_weave_tool(tool)
  get_filename_component(folder ${tool} DIRECTORY)
  set(command ${folder}/co4test)
  if(TARGET co4weave)
    set(command ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../scripts/co4test)
  endif()
  if(arg_SEEDS)
    list(APPEND command --seeds ${arg_SEEDS})
  endif()
  if(arg_STRATEGY)
    list(APPEND command --strategy ${arg_STRATEGY})
  endif()
  add_test(NAME simulate.${target} COMMAND ${command} -- $<TARGET_FILE:${target}> ${arg_ARGUMENTS})
endfunction()
