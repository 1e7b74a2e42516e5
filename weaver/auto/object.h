/* object.h - --auto: reads objects. */
#ifndef CW_AUTO_OBJECT_H
#define CW_AUTO_OBJECT_H

#include "base/types.h"

/* The record that a compilation has added (record.h); NULL: there is none, or it is no object. */
const char *cw_object_record(const char *bytes, size_t length, size_t *size);

/* The bytes of code in an object; 0 if it is none. */
size_t cw_object_code(const char *bytes, size_t length);

/* `begin`: the number in the first four bytes of an object of data. */
typedef void cw_symbol_found(void *to, const char *name, size_t begin);

/* Calls `found` for each name that an object, no shared library, uses and does not have. */
void cw_object_needs(const char *bytes, size_t length, cw_symbol_found *found, void *to);

/* Calls `found` for each thread-local that an object shares with others. */
void cw_object_locals(const char *bytes, size_t length, cw_symbol_found *found, void *to);

/* Calls `found` for each object of data that an object has. */
void cw_object_data(const char *bytes, size_t length, cw_symbol_found *found, void *to);

#endif
