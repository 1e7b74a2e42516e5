# A thousand calls of a library that blocks, one second together: woven by --auto, which needs ELF.
[ "$(uname -s)" = Linux ] || exit 77
case ${CO4_TEST_CFLAGS:-} in *-fsanitize=*) exit 77 ;; esac
"$CO4WEAVE" --auto "$CO4_TEST_CC" -O1 -I"$CO4_INCLUDE" "$co4_root"/examples/blocking/*.c \
    "$CO4_LIBRARY" $CO4_TEST_LIBS -o blocking
./blocking >out
grep -q '^1000 calls that take a second each: [0-9.]* s, on one thread; the sum is 332833500$' out
