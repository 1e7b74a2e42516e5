/* types.h - what every file of the weaver knows. */
#ifndef CW_BASE_TYPES_H
#define CW_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lets compilers check format strings. */
#if defined(__GNUC__)
#define CW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CW_PRINTF(text, first)
#endif

/* The structs that belong to a unit, for headers that only point to them. Other folders define
 * them. */
typedef struct cw_unit cw_unit;
typedef struct cw_func cw_func;
typedef struct cw_node cw_node;
typedef struct cw_decl cw_decl;
typedef struct cw_tag cw_tag;
typedef struct cw_type cw_type;
typedef struct cw_local cw_local;
typedef struct cw_point cw_point;
typedef struct cw_step cw_step;
typedef struct cw_block cw_block;

#endif
