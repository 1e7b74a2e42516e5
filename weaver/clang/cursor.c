/* cursor.c - libclang's cursors: their kinds, extents and children. */
#include "clang/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/bug.h"
#include "text/unit.h"
#include "clang/libclang.h"

enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    load_cursors *list = data;
    CW_ADD(list->items, list->count, cursor);
    return CXChildVisit_Continue;
}

load_cursors load_children(CXCursor cursor)
{
    load_cursors list = { 0 };
    clang_visitChildren(cursor, load_queue, &list);
    return list;
}

uint32_t load_offset(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    *begin = load_offset(clang_getRangeStart(range));
    *end = load_offset(clang_getRangeEnd(range));
}

bool load_is_seen_twice(CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return clang_getCursorKind(parent) == CXCursor_FieldDecl &&
           (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl);
}

bool load_is_definition(const cw_unit *unit, CXCursor cursor)
{
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    return end > begin && unit->text[end - 1] == '}';
}

bool load_is_expr(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) != 0;
}

bool load_is_stmt(CXCursor cursor)
{
    return clang_isStatement(clang_getCursorKind(cursor)) != 0;
}
