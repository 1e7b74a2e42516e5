/* tables.h - the types, tags and declarations that have been read. */
#ifndef CW_CLANG_TABLES_H
#define CW_CLANG_TABLES_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* Returns NULL if no type has been read that the cursor declares. */
cw_tag *load_known_tag(loader *l, CXCursor canonical);
void load_add_tag(loader *l, struct load_tag_slot slot);
/* The slot of a type or a declaration; it contains NULL if there is none yet. Valid until the next
 * call. */
struct load_type_slot *load_type_place(loader *l, CXType type);
struct load_decl_slot *load_decl_place(loader *l, CXCursor canonical);

#endif
