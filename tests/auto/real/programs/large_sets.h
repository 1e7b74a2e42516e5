/* large_sets.h - with `-include`: an fd_set for 4096 descriptors, which the kernel takes, too. */
#include <stdint.h> /* has the size from <bits/typesizes.h> */

#undef __FD_SETSIZE
#define __FD_SETSIZE 4096
