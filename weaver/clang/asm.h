/* asm.h - the labels that an asm goto names. */
#ifndef CW_CLANG_ASM_H
#define CW_CLANG_ASM_H

#include <stddef.h>

#include "base/types.h"
#include "clang/loader.h"

/* Called for each asm that has been read. */
void load_asm(loader *l, cw_node *node);
/* Called with all labels of a function, once its body has been read. */
void load_asm_labels(loader *l, cw_node *const *labels, size_t nlabels);

#endif
