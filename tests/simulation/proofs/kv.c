/* kv.c - a client of the example's server for kv.nodes: what was acknowledged is there.
 *
 *     client HOST NAME COUNT    sets COUNT keys that begin with NAME, then gets them all */
#include <signal.h>
#include <stdarg.h>

#include "proof.h"

static FILE *in, *out;

static void leave(void)
{
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    in = out = NULL;
}

/* False: none comes whole. */
static int next_line(char *line, int room)
{
    return fgets(line, room, in) && strchr(line, '\n');
}

/* Sends a command of so many words until there is a reply: its line, or the text of its string. */
static void ask(const char *host, char *reply, int room, int words, ...)
{
    for (;; usleep(100000)) {
        va_list list;
        if (!in && !reach(host, 6400, 2, &in, &out))
            continue;
        va_start(list, words);
        fprintf(out, "*%d\r\n", words);
        for (int i = 0; i < words; i++) {
            const char *word = va_arg(list, const char *);
            fprintf(out, "$%zu\r\n%s\r\n", strlen(word), word);
        }
        va_end(list);
        if (fflush(out) == 0 && next_line(reply, room) &&
            (reply[0] != '$' || reply[1] == '-' || next_line(reply, room)))
            return;
        leave();
    }
}

int main(int argc, char **argv)
{
    char reply[200], key[40], value[40];
    int count = argc == 4 ? atoi(argv[3]) : 0, failed = 0;
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2 * count; i++) {
        snprintf(key, sizeof key, "%s%d", argv[2], i % count);
        snprintf(value, sizeof value, "%s:%d", argv[2], i % count * (i % count));
        if (i < count)
            ask(argv[1], reply, sizeof reply, 3, "SET", key, value);
        else
            ask(argv[1], reply, sizeof reply, 2, "GET", key);
        if (strncmp(reply, i < count ? "+OK" : value, i < count ? 3 : strlen(value)) != 0)
            failed = printf("%s %s: %s", i < count ? "SET" : "GET", key, reply);
    }
    leave();
    return count == 0 || failed != 0;
}
