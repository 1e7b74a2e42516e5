/* complain.c - co4weave's own messages. */
#include "driver/complain.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"

/* Set once, while the options are read: functions that complain do not know the settings. */
static bool complains_as_json;

void cw_complain_as_json(void)
{
    complains_as_json = true;
}

void cw_complain(const char *format, ...)
{
    char message[2048];
    cw_buf out = { 0 };
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (complains_as_json) {
        cw_puts(&out, "{\"file\":null,\"severity\":\"error\",\"message\":");
        cw_json_string(&out, message);
        cw_puts(&out, "}");
    } else {
        cw_printf(&out, "co4weave: error: %s", message);
    }
    fprintf(stderr, "%s\n", out.data);
    cw_buf_free(&out);
}
