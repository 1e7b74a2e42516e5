/* cursor.h - libclang's cursors: their kinds, extents and children. */
#ifndef CW_CLANG_CURSOR_H
#define CW_CLANG_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"
#include "clang/libclang.h"

typedef struct load_cursors {
    CXCursor *items; /* malloc'd */
    size_t count;
} load_cursors;

load_cursors load_children(CXCursor cursor); /* free(items) */
/* Adds a cursor to a list: a visitor. */
enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData list);
uint32_t load_offset(CXSourceLocation location);
void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);
/* A record inside another is a child of that, and of the member that it is the type of. A visitor
 * that goes into both takes twice the time for each level. */
bool load_is_seen_twice(CXCursor cursor, CXCursor parent);
/* Is this declaration of a function its definition? libclang would look at all its declarations. */
bool load_is_definition(const cw_unit *unit, CXCursor cursor);
bool load_is_expr(CXCursor cursor);
bool load_is_stmt(CXCursor cursor);

#endif
