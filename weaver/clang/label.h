/* label.h - labels, by position. */
#ifndef CW_CLANG_LABEL_H
#define CW_CLANG_LABEL_H

#include <stdint.h>

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* The label at an offset. */
cw_decl *load_label_at(loader *l, uint32_t at);
/* The label that a goto or && names. */
cw_decl *load_label(loader *l, CXCursor jump);

#endif
