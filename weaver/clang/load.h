/* load.h - libclang's tree becomes ours. */
#ifndef CW_CLANG_LOAD_H
#define CW_CLANG_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* Fills in the unit's tree. False: unit->unparsable, libclang found errors in user code. */
bool cw_load(cw_unit *unit);

const char *load_string(loader *l, CXString string); /* copied into the arena, and disposed of */
load_cursors load_children(CXCursor cursor);         /* free(items) */
enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData list);
uint32_t load_offset(CXSourceLocation location);
void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);
bool load_has_mark(const cw_unit *unit, uint32_t begin, uint32_t end);
/* Where the marks in front of a declaration begin: libclang may leave them out of its extent. */
uint32_t load_with_marks(const cw_unit *unit, uint32_t begin);
/* Is the function that is being read pausable, or will it be? */
bool load_may_pause(const loader *l);
CXTranslationUnit load_parse(cw_unit *unit, CXIndex index, const char *text, size_t length);

#endif
