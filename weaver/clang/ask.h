/* ask.h - questions that a second parse answers. */
#ifndef CW_CLANG_ASK_H
#define CW_CLANG_ASK_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

void load_ask_choice(loader *l, cw_node *node);
/* `attribute` is the text before a declarator. */
void load_ask_alignment(loader *l, cw_decl *decl, const char *attribute);
void load_answers(loader *l, CXIndex index);

#endif
