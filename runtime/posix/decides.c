/* decides.c - simulation/ sets it, which this folder does not know. */
#include "posix/decides.h"

bool co4__posix_decides;
