/* cleanup.h - locals whose life ends with an action. */
#ifndef CW_PASSES_CLEANUP_H
#define CW_PASSES_CLEANUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

/* Fills func->cleanups. */
void cw_find_cleanups(cw_func *func);
bool cw_has_cleanup(const cw_func *func, const cw_decl *decl);
/* Is the local of such a declaration alive at this offset? */
bool cw_is_alive(const cw_node *var, uint32_t at);
bool cw_is_automatic(const cw_decl *decl);
/* Does [begin, end) contain a point? Valid after cw_mark. */
bool cw_holds_point(cw_func *func, uint32_t begin, uint32_t end);

#endif
