# settings.sh - what the drivers need to know of the build. Sourced. ctest sets all of it; by hand,
# from anywhere in the tree, the build in build/ is taken.
co4_root=$(cd "$(dirname "$0")/../.." && pwd)
: "${CO4WEAVE:=$co4_root/build/bin/co4weave}"
: "${CO4_INCLUDE:=$co4_root/include}"
: "${CO4_LIBRARY:=$co4_root/build/lib/libco4.a}"
: "${CO4_TEST_CC:=cc}"
: "${CO4_TEST_CFLAGS:=-O1}"
: "${CO4_TEST_LIBS:=-pthread -lm}"
: "${CO4_TEST_UNDER:=}" # what runs programs for another target
: "${CO4_TEST_LACKS:=}" # what that target has not, as in `needs:`
export CO4WEAVE CO4_INCLUDE CO4_LIBRARY CO4_TEST_CC CO4_TEST_CFLAGS CO4_TEST_LIBS
