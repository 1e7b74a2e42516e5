/* program.h - what the programs of this folder share: what they print, and how they connect. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <co4.h>
#include <co4/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* Long for what comes, as others use the machine, too. */
#ifndef SOON
#define SOON (co4_now() + 60 * CO4_SEC)
#endif

static inline void show(const char *what, int code)
{
    printf("%s: %s\n", what, co4_strerror(code));
}

/* Connects again soon. Returns NULL if there is no server. */
static inline pausable co4_nats *connect_to(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

#endif
