/* attribute.h - attributes of functions. */
#ifndef CW_PASSES_ATTRIBUTE_H
#define CW_PASSES_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

/* One attribute, without underscores around its name. */
typedef struct cw_attribute {
    const char *name;
    size_t length;
    uint32_t begin, end; /* with prefix and arguments */
} cw_attribute;

/* Finds the next attribute in [at, end), in either spelling. Returns false if there is none. */
bool cw_next_attribute(const cw_unit *unit, uint32_t at, uint32_t end, cw_attribute *a);

/* Drops or refuses attributes that would be false for woven functions. */
void cw_read_attributes(cw_unit *unit);

/* Does one of its declarations have an attribute of this list, in any spelling? */
bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *list);
/* Does one of them have a storage class or a specifier of this list? `asm` stands for a name that
 * the assembler is given. */
bool cw_has_specifier(const cw_unit *unit, const cw_decl *decl, const char *list);

#endif
