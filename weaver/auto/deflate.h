/* deflate.h - --auto: makes the records of objects small, where there is zlib. */
#ifndef CW_AUTO_DEFLATE_H
#define CW_AUTO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the bytes, deflated. Returns false if there is no zlib. */
bool cw_deflate(const char *bytes, size_t length, cw_buf *out);
/* Appends what cw_deflate() has made, as it was. Returns false if it is damaged, or, after a
 * message, if there is no zlib. */
bool cw_inflate(const char *bytes, size_t length, cw_buf *out);

#endif
