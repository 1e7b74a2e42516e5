/* parse.h - the parse of a text. */
#ifndef CW_CLANG_PARSE_H
#define CW_CLANG_PARSE_H

#include <stddef.h>

#include "base/types.h"
#include "clang/libclang.h"

/* Returns NULL if libclang fails. */
CXTranslationUnit load_parse(cw_unit *unit, CXIndex index, const char *text, size_t length);

#endif
