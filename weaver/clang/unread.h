/* unread.h - the errors of the parse, and the parts of a unit that they make unreadable. */
#ifndef CW_CLANG_UNREAD_H
#define CW_CLANG_UNREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clang/cursor.h"
#include "clang/loader.h"

/* Reports libclang's error in the user's code: the unit is not woven. */
void load_error(loader *l, uint32_t at, const char *text);
/* Reports the errors of the parse, except those that do not matter for weaving. */
load_unread load_errors(loader *l, const load_cursors *tops);
/* Is the declaration read? Sets `*why` to the reason if only a function's header is read, else to
 * NULL. */
bool load_is_read(const load_unread *unread, size_t top, const char **why);

#endif
