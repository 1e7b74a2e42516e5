/* propose.c - --infer: prints the missing marks, and leaves the files unchanged.
 *
 * Files of one command share headers, so a mark that one file needs there may require more in
 * another. All files are examined again until no more marks are found: first for declarations that
 * stay plain, then for marks. Only the last round prints diagnostics. It sees the sources with the
 * patch applied, and reports the remaining errors. */
#include "driver/propose.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "driver/command.h"
#include "driver/complain.h"
#include "driver/files.h"
#include "driver/settings.h"
#include "driver/source.h"
#include "driver/weave.h"
#include "text/patch.h"

static int look_at_all(const cw_settings *settings, const cw_command *command)
{
    int status = CW_EXIT_DONE;
    for (size_t i = 0; i < command->nsources; i++) {
        cw_woven woven;
        cw_source_weave(settings, command, i, &woven);
        if (woven.outcome != CW_NOTHING && status == CW_EXIT_DONE)
            status = woven.status;
        cw_buf_free(&woven.text);
        cw_buf_free(&woven.messages);
    }
    return status;
}

int cw_propose(const cw_settings *settings, const cw_command *command)
{
    cw_patch patch = { 0 };
    cw_buf text = { 0 };
    cw_settings round = *settings;
    size_t before;
    round.patch = &patch;
    round.quiet = true;
    patch.collecting = true;
    do {
        before = patch.kept.count;
        look_at_all(&round, command);
    } while (patch.kept.count > before);
    patch.collecting = false;
    do {
        before = patch.count;
        look_at_all(&round, command);
    } while (patch.count > before);
    round.quiet = false;
    int status = look_at_all(&round, command);
    size_t levels = cw_patch_write(&patch, &text);
    const char *output = settings->output != NULL && !settings->wraps ? settings->output : "-";
    if (text.length > 0 && !cw_file_write(output, text.data, text.length))
        status = CW_EXIT_REFUSED;
    if (levels > 0) {
        fputs("co4weave: not all of these files are below this folder: patch -d ", stderr);
        for (size_t i = 0; i < levels; i++)
            fputs(i > 0 ? "/.." : "..", stderr);
        fputs(" -p0\n", stderr);
    }
    if (text.length == 0 && status == CW_EXIT_DONE)
        fputs("co4weave: no marks are missing\n", stderr);
    cw_buf_free(&text);
    cw_patch_free(&patch);
    return status;
}
