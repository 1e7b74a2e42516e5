/* verify.h - what holds after each pass. */
#ifndef CW_REPORT_VERIFY_H
#define CW_REPORT_VERIFY_H

#include "base/types.h"

void cw_verify(cw_unit *unit, const char *pass);

#endif
