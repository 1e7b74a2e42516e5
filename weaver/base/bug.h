/* bug.h - internal errors. */
#ifndef CW_BASE_BUG_H
#define CW_BASE_BUG_H

#include "base/format.h"

/* Prints the place and the message, and aborts. */
_Noreturn void cw_bug(const char *where, const char *format, ...) CW_PRINTF(2, 3);

#endif
