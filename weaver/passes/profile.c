/* profile.c - finds functions in the text that driver/profile.c has made of a profile.
 *
 * A function is hot if one of its counters has at least a thousandth of the program's greatest: the
 * fraction that gcc also uses (hot-bb-count-fraction). Its counters are those of its direct entry
 * and of its resume entry.
 *
 * gcc's checksum of a function is a CRC of its line, its file and its name, in this order. */
#include "passes/profile.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "base/arena.h"
#include "base/names.h"
#include "base/options.h"
#include "text/text.h"
#include "text/unit.h"

enum { HOT_FRACTION = 1000 };

/* crc32_string() of gcc's tree.cc: with the NUL. */
static uint32_t checksum(uint32_t sum, const char *text)
{
    for (;; text++) {
        sum ^= (uint32_t)(unsigned char)*text << 24;
        for (int bit = 0; bit < 8; bit++)
            sum = sum << 1 ^ (sum >> 31) * UINT32_C(0x04c11db7);
        if (*text == '\0')
            return sum;
    }
}

void cw_profile_open(cw_profile *profile, const cw_unit *unit)
{
    *profile = (cw_profile){ .hot = 1 };
    const char *line = unit->options->profile != NULL ? unit->options->profile : "";
    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, " \n");
        unsigned long long count = strtoull(line + length, NULL, 10);
        if (strncmp(line, "max ", 4) == 0) {
            profile->hot = count / HOT_FRACTION > 0 ? count / HOT_FRACTION : 1;
            continue;
        }
        cw_name *name = cw_names_add(&profile->counted, line, length);
        name->number = name->number != 0 || count >= profile->hot;
    }
}

void cw_profile_close(cw_profile *profile)
{
    cw_names_free(&profile->counted);
}

/* Finds a function's entry by its name, or by a checksum with one of the lines of its header. */
static const cw_name *find(const cw_profile *profile, cw_unit *unit, const cw_func *func,
                           const char *suffix)
{
    const char *name = cw_format(&unit->arena, "%s%s", func->decl->name, suffix);
    const cw_name *found = cw_names_find(&profile->counted, name, strlen(name));
    cw_place last = cw_place_of(unit, cw_definition_of(func->decl));
    for (uint32_t line = cw_place_of(unit, func->begin).line; found == NULL && line <= last.line;
         line++) {
        char key[16];
        int length = snprintf(key, sizeof key, "#%lx",
                              (unsigned long)checksum(checksum(line, last.file), name));
        found = cw_names_find(&profile->counted, key, (size_t)length);
    }
    return found;
}

cw_heat cw_profile_heat(const cw_profile *profile, cw_unit *unit, const cw_func *func)
{
    static const char *const entries[] = { "__co4", "__resume" };
    cw_heat heat = CW_HEAT_UNKNOWN;
    if (unit->options->profile != NULL && *unit->options->profile == '\0')
        return CW_HEAT_MEASURED;
    for (size_t i = 0; profile->counted.count > 0 && i < sizeof entries / sizeof *entries; i++) {
        const cw_name *entry = find(profile, unit, func, entries[i]);
        if (entry != NULL)
            heat = entry->number != 0 || heat == CW_HEAT_HOT ? CW_HEAT_HOT : CW_HEAT_COLD;
    }
    return heat;
}
