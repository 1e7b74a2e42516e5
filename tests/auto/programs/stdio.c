/* stdio.c - streams at pipes, between tasks. On one worker, a call that blocks never ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "job.h"

enum { LINES = 3000, MOST = 16 };

static FILE *in[MOST], *out[MOST];
static int counts[MOST];
static long sums[MOST], total;
static int wrong;

/* ---- one writes, another reads ---- */

static void write_lines(int k)
{
    FILE *to = out[k];
    char all[64];
    for (int i = 0; i < LINES; i++)
        switch (i % 7) {
        case 0:
            fprintf(to, "%d line of pair %d\n", i, k);
            break;
        case 1:
            snprintf(all, sizeof all, "%d", i);
            fputs(all, to);
            fputc(' ', to);
            fwrite("written\n", 1, 8, to);
            break;
        case 2:
            fprintf(to, "%*d\n", k == 2 ? 9000 : 40, i); /* longer than a buffer */
            break;
        default:
            fprintf(to, "%d\n", i);
            if (i % 100 == 99)
                fflush(to);
        }
    if (fclose(to) != 0)
        wrong++;
}

static void took(int k, const char *line)
{
    counts[k]++;
    sums[k] += atoi(line);
}

static void read_lines(int k)
{
    FILE *from = in[k];
    static char lines[MOST][10000];
    char *line = lines[k], *grown = NULL;
    size_t room = 0, n = 0;
    int c, number;
    switch (k) {
    case 0:
        while (fgets(line, sizeof lines[k], from))
            took(k, line);
        break;
    case 1:
        while (getline(&grown, &room, from) > 0)
            took(k, grown);
        free(grown);
        break;
    case 2:
        while ((c = getc(from)) != EOF) {
            line[n++] = (char)c;
            if (c == '\n') {
                line[n] = '\0';
                took(k, line);
                n = 0;
            }
        }
        break;
    case 3:
        while (fread(line + n, 1, 1, from) == 1)
            if (line[n++] == '\n') {
                line[n] = '\0';
                took(k, line);
                n = 0;
            }
        break;
    case 4:
        while (fscanf(from, "%d%[^\n]", &number, line) >= 1) {
            counts[k]++;
            sums[k] += number;
            c = fgetc(from);
            ungetc(c, from);
            ungetc(fgetc(from), from);
        }
        break;
    default:
        while ((n = fread(line, 1, 777, from)) > 0) {
            counts[k] += (int)n;
            for (size_t i = 0; i < n; i++)
                sums[k] += line[i];
        }
    }
    if (!feof(from) || ferror(from) || fgetc(from) != EOF)
        wrong++;
    fclose(from);
}

static int pairs(int i)
{
    if (i % 2 == 0)
        write_lines(i / 2);
    else
        read_lines(i / 2);
    return 0;
}

/* ---- several at one stream ---- */

static int readers(int i)
{
    char line[64];
    if (i == 0) {
        for (int n = 0; n < 400; n++) {
            fprintf(out[0], "<%d", n); /* not yet the line */
            fflush(out[0]);
            if (n % 8 == 0)
                usleep(200);
            fputs(">\n", out[0]);
        }
        fclose(out[0]);
        return 0;
    }
    while (fgets(line, sizeof line, in[0])) {
        size_t n = strlen(line);
        if (n < 4 || line[0] != '<' || line[n - 1] != '\n' || line[n - 2] != '>')
            wrong++;
        __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

static int writers(int i)
{
    char line[64];
    if (i > 0) {
        for (int n = 0; n < 2000; n++)
            fprintf(out[0], "<%020d>\n", n);
        for (int n = 0; n < 50; n++) {
            flockfile(out[0]);
            putc_unlocked('<', out[0]);
            if (n % 8 == 0)
                usleep(100);
            fprintf(out[0], "%020d", n);
            flockfile(out[0]);
            fputs(">\n", out[0]);
            funlockfile(out[0]);
            funlockfile(out[0]);
        }
        if (__atomic_add_fetch(&total, 1, __ATOMIC_SEQ_CST) == 4)
            fclose(out[0]);
        return 0;
    }
    while (fgets(line, sizeof line, in[0])) {
        counts[0]++;
        if (strlen(line) != 23 || line[0] != '<' || line[21] != '>')
            wrong++;
    }
    return 0;
}

/* ---- buffers, ends and errors ---- */

static int modes(int i)
{
    char line[16];
    if (i == 0) {
        setvbuf(out[0], NULL, _IONBF, 0);
        fputs("ab", out[0]);
        fprintf(out[0], "%s\n", "cd");
        usleep(1000);
        fclose(out[0]);
        setvbuf(out[1], NULL, _IOLBF, 64);
        fputs("one\ntw", out[1]);
        usleep(1000);
        fputs("o\nthree", out[1]);
        usleep(1000);
        for (int n = 0; n < 100; n++)
            fputc('x', out[1]);
        fclose(out[1]);
        return 0;
    }
    setvbuf(in[0], NULL, _IONBF, 0);
    while (fgets(line, sizeof line, in[0]))
        printf("unbuffered %s", line);
    while (fgets(line, sizeof line, in[1]))
        printf("by lines %s\n", line);
    printf("end %d %d\n", feof(in[1]) != 0, ferror(in[1]) != 0);
    fclose(in[0]);
    fclose(in[1]);
    return 0;
}

static void say(const char *what, long n, FILE *of)
{
    printf("%s %ld %s%s\n", what, n, ferror(of) ? strerror(errno) : "", feof(of) ? "end" : "");
    clearerr(of);
}

static int errors(int i)
{
    char line[8];
    int p[2], s[2];
    fcntl(fileno(in[0]), F_SETFL, O_NONBLOCK);
    say("would wait", fgetc(in[0]), in[0]);
    say("would wait", fgets(line, 8, in[0]) != NULL, in[0]);
    fclose(in[0]);
    signal(SIGPIPE, SIG_IGN);
    say("into the buffer", fputs("x", out[0]), out[0]);
    say("no reader", fflush(out[0]), out[0]);
    say("no reader", fprintf(out[0], "%9000d", 1), out[0]);
    say("to read", fgetc(out[0]), out[0]);
    say("to write", fputc('x', in[1]), in[1]);
    fputs("ab\ncd", out[1]);
    fclose(out[1]);
    say("none", fread(line, 0, 8, in[1]), in[1]);
    say("no room", fgets(line, 0, in[1]) != NULL, in[1]);
    say("room for none", fgets(line, 1, in[1]) != NULL, in[1]);
    say("a byte", ungetc('z', in[1]), in[1]);
    say("items", (long)fread(line, 3, 2, in[1]), in[1]);
    say("the end", fgetc(in[1]), in[1]);
    fclose(in[1]);
    if (pipe(p) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
        return 1;
    FILE *f = fdopen(p[0], "r");
    close(p[0]);
    say("closed", fgetc(f), f);
    f = fdopen(s[0], "r+");
    say("both", fprintf(f, "request\n"), f);
    say("both", write(s[1], "answer", 6), f);
    fflush(f);
    say("both", fgetc(f), f);
    say("both", read(s[1], line, 8), f);
    f = popen("sleep 0.01; echo child; exit 3", "r");
    say("child", fgetc(f), f);
    printf("status %d\n", pclose(f));
    f = fmemopen(line, 8, "w");
    say("memory", fprintf(f, "%d", 42), f);
    fclose(f);
    printf("%s %zd\n", line, getline(NULL, NULL, stdin));
    return i;
}

/* ---- all of them ---- */

const struct job jobs[] = {
    { "pairs", pairs, 12, NULL }, { "readers", readers, 5, NULL }, { "writers", writers, 5, NULL },
    { "modes", modes, 2, NULL },  { "errors", errors, 1, NULL },   { 0 },
};

void begin_job(const struct job *job)
{
    (void)job;
    total = 0;
    for (int k = 0; k < MOST; k++) {
        int p[2];
        if (pipe(p) != 0)
            exit(9);
        in[k] = fdopen(p[0], "r");
        out[k] = fdopen(p[1], "w");
        counts[k] = 0;
        sums[k] = 0;
    }
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, %d wrong, %ld\n", job->name, result, wrong, total);
    for (int k = 0; k < 6; k++)
        printf("  %d %ld\n", counts[k], sums[k]);
}
