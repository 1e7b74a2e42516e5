/* complain.c - co4weave's own messages. */
#include "command/complain.h"

#include <stdarg.h>
#include <stdio.h>

/* Set once, while the options are read: functions that complain do not know the settings. */
static bool complains_as_json;

void cw_complain_as_json(void)
{
    complains_as_json = true;
}

static void put_line(cw_buf *out, const char *format, va_list args)
{
    cw_buf message = { 0 };
    cw_vprintf(&message, format, args);
    if (complains_as_json) {
        cw_puts(out, "{\"file\":null,\"severity\":\"error\",");
        cw_json_member(out, "message", message.data);
        cw_puts(out, "}\n");
    } else {
        cw_printf(out, "co4weave: error: %s\n", message.data);
    }
    cw_buf_free(&message);
}

void cw_put_complaint(cw_buf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(out, format, args);
    va_end(args);
}

void cw_complain(const char *format, ...)
{
    cw_buf out = { 0 };
    va_list args;
    va_start(args, format);
    put_line(&out, format, args);
    va_end(args);
    fputs(out.data, stderr);
    cw_buf_free(&out);
}
