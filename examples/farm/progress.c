/* progress.c - how far a picture is: a bar with rate and time left. */
#include <co4/time.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "farm.h"

enum { BAR = 30, SAMPLES = 16 };

/* The last moments, a third of a second each. */
static struct {
    int64_t time;
    int finished;
} samples[SAMPLES];
static int sample_count;

static void take_sample(const struct farm *f)
{
    if (sample_count == SAMPLES)
        memmove(samples, samples + 1, (SAMPLES - 1) * sizeof samples[0]);
    else
        sample_count++;
    samples[sample_count - 1].time = co4_now();
    samples[sample_count - 1].finished = f->finished;
}

double farm_rate(const struct farm *f)
{
    if (sample_count == 0)
        return 0;
    double seconds = (double)(co4_now() - samples[0].time) / 1e9;
    return seconds > 0 ? (f->finished - samples[0].finished) / seconds : 0;
}

double farm_left(const struct farm *f)
{
    double rate = farm_rate(f);
    return rate > 0 ? (f->tiles - f->finished) / rate : -1;
}

int farm_workers(const struct farm *f)
{
    int count = 0;
    for (int i = 0; i < f->worker_count; i++)
        count += f->workers[i].seen > co4_now() - 2 * CO4_SEC;
    return count;
}

static void print(const struct farm *f, bool terminal)
{
    char bar[BAR + 1], left[24] = "";
    int full = (int)((int64_t)f->finished * BAR / f->tiles);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(BAR - full));
    bar[BAR] = '\0';
    if (farm_left(f) >= 0)
        snprintf(left, sizeof left, ", %.0f s left", farm_left(f));
    fprintf(stderr, "%s[%s] %d of %d, %.0f/s%s; %d workers; %ld given again%s%s",
            terminal ? "\r" : "", bar, f->finished, f->tiles, farm_rate(f), left, farm_workers(f),
            f->again, f->up ? "" : "; no server", terminal ? "\033[K" : "\n");
    fflush(stderr);
}

pausable int farm_progress(struct farm *f)
{
    bool terminal = isatty(STDERR_FILENO);
    for (int i = 0;; i++) {
        take_sample(f);
        if (!f->o->quiet && (terminal || i % 6 == 3))
            print(f, terminal);
        if (co4_sleep(CO4_SEC / 3) != CO4_OK)
            break;
    }
    if (terminal && !f->o->quiet) {
        print(f, true);
        fputc('\n', stderr);
    }
    return CO4_OK;
}
