/* wasm.h - --auto: objects of WebAssembly. object.h is for all kinds. */
#ifndef CW_AUTO_WASM_H
#define CW_AUTO_WASM_H

#include "base/buf.h"
#include "base/types.h"

typedef enum { CW_WASM_FUNCTION, CW_WASM_DATA, CW_WASM_OTHER } cw_wasm_kind;

typedef struct cw_wasm_symbol {
    cw_wasm_kind kind;
    const char *name; /* not terminated */
    size_t length;
    bool is_needed, is_local, is_thread_local;
    size_t begin; /* of data: the number in its first four bytes */
} cw_wasm_symbol;

/* Does it begin as a module does? */
bool cw_is_wasm(const char *bytes, size_t length);

/* What cw_wasm_add_record() has added; NULL if there is nothing. */
const char *cw_wasm_record(const char *bytes, size_t length, size_t *size);
/* Appends to `out` the object with a record. Returns false if it is no object. */
bool cw_wasm_add_record(const cw_buf *object, const cw_buf *record, cw_buf *out);

/* Calls `found` for each symbol of an object. */
void cw_wasm_each_symbol(const char *bytes, size_t length,
                         void (*found)(void *to, const cw_wasm_symbol *symbol), void *to);
size_t cw_wasm_code(const char *bytes, size_t length);

#endif
