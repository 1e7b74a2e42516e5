/* label.h - labels, by their places. */
#ifndef CW_CLANG_LABEL_H
#define CW_CLANG_LABEL_H

#include <stdint.h>

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* The label that stands at an offset. */
cw_decl *load_label_at(loader *l, uint32_t at);
/* A goto or &&: the label that it names. */
cw_decl *load_label(loader *l, CXCursor jump);

#endif
