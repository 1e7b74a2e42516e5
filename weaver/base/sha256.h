/* sha256.h - SHA-256 (FIPS 180-4): names for contents. */
#ifndef CW_BASE_SHA256_H
#define CW_BASE_SHA256_H

#include "base/types.h"

typedef struct cw_sha256 {
    uint32_t state[8];
    unsigned char block[64];
    uint64_t length;
} cw_sha256;

void cw_sha256_begin(cw_sha256 *sum);
void cw_sha256_add(cw_sha256 *sum, const void *bytes, size_t length);
/* 64 digits and a NUL. The sum is used up. */
void cw_sha256_end(cw_sha256 *sum, char digits[65]);

#endif
