/* verify.h - invariants between passes. */
#ifndef CW_REPORT_VERIFY_H
#define CW_REPORT_VERIFY_H

#include "base/types.h"

/* Each function returns, or ends the program with a message that names the pass. */
void cw_verify_tree(cw_unit *unit, const char *pass);
/* Is each call that may pause a point? */
void cw_verify_points(cw_unit *unit, const char *pass);
/* Is each point in one block? */
void cw_verify_cfgs(cw_unit *unit, const char *pass);
void cw_verify_frames(cw_unit *unit, const char *pass);

#endif
