/* weave.h - --auto: weaves what pauses of a program. */
#ifndef CW_AUTO_WEAVE_H
#define CW_AUTO_WEAVE_H

#include "auto/cache.h"
#include "auto/program.h"
#include "auto/record.h"
#include "command/files.h"
#include "command/settings.h"

/* An object of the program that has a record. */
typedef struct cw_part {
    cw_auto_record record;
    size_t arg, member; /* of the command; of its archive */
    size_t code;        /* bytes of machine code, as it was compiled */
    cw_buf plan;        /* of the last weaving */
    const char *text;   /* the file of what came of it, as C, in the link's folder; NULL */
    cw_kept woven;      /* … compiled; without an object: nothing pauses */
    bool in_archive;
    bool fresh; /* woven, and the program does not know yet what is left plain */
} cw_part;

/* Solves the program and weaves the parts in which a function pauses, until nothing is refused any
 * more. The parts are the units of the program. Returns false after a message. */
bool cw_auto_weave(const cw_settings *settings, cw_temp *temp, cw_program *program,
                   const cw_plan *roots, cw_part *parts, size_t nparts);
static inline bool cw_part_is_woven(const cw_part *part)
{
    return part->woven.object.length > 0;
}
void cw_part_free(cw_part *part);

#endif
