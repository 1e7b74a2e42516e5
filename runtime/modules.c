/* modules.c - what is linked together: the tables by which lower layers call higher ones. The only
 * file that knows all of them (tests/checks/layers). */
#include "base/hooks.h"
#include "base/public.h"
#include "debug/report.h"
#include "debug/simulate.h"

const struct co4__hooks co4__hooks = {
    .simulate = co4__simulate,
    .deadlock = co4__report_deadlock,
};
