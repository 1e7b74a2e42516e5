/* sanitize.h - the library that was built with a sanitizer. */
#ifndef CW_DRIVER_SANITIZE_H
#define CW_DRIVER_SANITIZE_H

#include <stdbool.h>

#include "driver/argv.h"

/* Names the library that was built with the sanitizer of a link. True: the words have changed. */
bool cw_use_sanitized(cw_argv *words);

#endif
