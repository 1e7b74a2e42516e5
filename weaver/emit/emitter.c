/* emitter.c - the edits shared by the files that write a function's body. */
#include "emit/emitter.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "text/edit.h"
#include "text/unit.h"

void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf)
{
    cw_edit_add(e->unit, &e->unit->large, begin, end, cw_take(&e->unit->arena, buf));
}
