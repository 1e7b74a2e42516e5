/* profile.h - which functions a profile has counted, and how often. */
#ifndef CW_PASSES_PROFILE_H
#define CW_PASSES_PROFILE_H

#include "ast/func.h"
#include "base/names.h"
#include "text/unit.h"

typedef enum cw_heat {
    CW_HEAT_UNKNOWN,  /* there is no profile, or not of this function */
    CW_HEAT_MEASURED, /* this build makes a profile, or uses one that is not understood */
    CW_HEAT_COLD,
    CW_HEAT_HOT
} cw_heat;

typedef struct cw_profile {
    cw_names counted; /* names or checksums; the number: 1 if hot */
    unsigned long long hot;
} cw_profile;

void cw_profile_open(cw_profile *profile, const cw_unit *unit);
void cw_profile_close(cw_profile *profile);
cw_heat cw_profile_heat(const cw_profile *profile, cw_unit *unit, const cw_func *func);

#endif
