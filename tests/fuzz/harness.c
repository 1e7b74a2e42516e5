/* harness.c - the weaver in this process, on one input after the other.
 *
 * Reads names of preprocessed files from its standard input, a line each, and answers each with a
 * line: woven, nothing, refused or unparsable; woven text is left in NAME.woven. Each input is
 * woven in a child, so that one that crashes or hangs costs only itself: its answer is `signal N`,
 * or `status N` when a sanitizer stopped it.
 *
 * With a file as its argument it weaves that one in this very process and ends with it: for
 * debuggers.
 *
 * Built by afl-clang-fast, `--behind HEAD` weaves what afl-fuzz gives it, one input after the other
 * in one process, each behind the text of the file HEAD: declarations that inputs need and that are
 * not worth changing. */
#include "driver/weave.h"

#include "base/buf.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

static const char *const words[] = { "woven", "nothing", "refused", "unparsable" };

static int read_file(const char *path, cw_buf *text)
{
    char bytes[65536];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        cw_put(text, bytes, got);
    fclose(file);
    return text->length > 0 ? 0 : -1;
}

/* The variants of one input: all options that lead through other code. */
static int weave_text(const char *path, const cw_buf *text, FILE *messages, const char *save_as)
{
    static const char *const parse_args[] = { "-std=gnu11" };
    int outcome = CW_UNPARSABLE;
    for (int variant = 0; variant < 3; variant++) {
        const cw_options options = {
            .source = path,
            .parse_args = parse_args,
            .nparse_args = 1,
            .force_pauses = variant == 1,
            .stress = variant == 2,
            .seed = 1,
            .report = variant == 0,
            .report_to = messages,
            .messages = messages,
        };
        char *woven = NULL;
        size_t length = 0;
        cw_outcome this_one = cw_weave(&options, text->data, text->length, &woven, &length);
        if (variant == 1) {
            outcome = (int)this_one;
            FILE *out = this_one == CW_WOVEN && save_as != NULL ? fopen(save_as, "wb") : NULL;
            if (out != NULL) {
                fwrite(woven, 1, length, out);
                fclose(out);
            }
        }
        free(woven);
    }
    return outcome;
}

static int weave(const char *path, FILE *messages, const char *save_as)
{
    cw_buf text = { 0 };
    int outcome = CW_UNPARSABLE;
    if (read_file(path, &text) == 0)
        outcome = weave_text(path, &text, messages, save_as);
    cw_buf_free(&text);
    return outcome;
}

#ifdef __AFL_HAVE_MANUAL_CONTROL
__AFL_FUZZ_INIT();

static int weave_behind(const char *path, FILE *messages)
{
    cw_buf text = { 0 };
    if (read_file(path, &text) != 0)
        return 1;
    size_t head = text.length;
    weave_text(path, &text, messages, NULL); /* libclang is loaded now, once for all */
    __AFL_INIT();
    const unsigned char *input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(1000)) {
        text.length = head;
        cw_put(&text, (const char *)input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
        weave_text(path, &text, messages, NULL);
    }
    cw_buf_free(&text);
    return 0;
}
#endif

static void in_child(const char *path, FILE *messages)
{
    char save_as[5000];
    snprintf(save_as, sizeof save_as, "%s.woven", path);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS + 1 });
        alarm(20 * SECONDS); /* in which a busy machine has given it so much */
        exit(100 + weave(path, messages, save_as));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status) >= 100 && WEXITSTATUS(status) < 104)
        printf("%s\n", words[WEXITSTATUS(status) - 100]);
    else
        printf("status %d\n", WEXITSTATUS(status));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    FILE *messages = fopen("/dev/null", "w");
    if (messages == NULL)
        return 1;
#ifdef __AFL_HAVE_MANUAL_CONTROL
    if (argc > 2 && strcmp(argv[1], "--behind") == 0)
        return weave_behind(argv[2], messages);
#endif
    if (argc > 1)
        return weave(argv[1], messages, NULL) < 0;
    char path[4096];
    while (fgets(path, sizeof path - 16, stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        in_child(path, messages);
    }
    fclose(messages);
    return 0;
}
