/* wordcount.c - the most frequent words of text files: reader -> tokenizer -> counters, tasks
 * joined by mailboxes.
 *
 *     wordcount [FILE ...]      the files under /usr/share/common-licenses when absent
 *
 * A word is a run of letters, in lower case. Each counter owns the words of its share of the
 * alphabet, so it needs no lock; a bounded mailbox in front of each stage keeps a fast one from
 * running away. A stage ends when the mailbox it reads is closed. */
#define _XOPEN_SOURCE 700
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, COUNTERS = 4, TOP = 10 };

struct block {
    size_t count;
    char bytes[BLOCK];
};

struct word {
    char *text;
    long count;
};

struct tally { /* of one counter */
    co4_mailbox *words;
    void *tree; /* of struct word, by text */
    struct word **all;
    size_t nall;
};

pausable int reader(char **files, co4_mailbox *blocks, int *failures)
{
    for (int i = 0; files[i] != NULL; i++) {
        int err = CO4_OK;
        int file = co4_open(files[i], O_RDONLY);
        struct block block;
        if (file < 0) {
            perror(files[i]);
            ++*failures;
            continue;
        }
        for (ssize_t n; err == CO4_OK && (n = co4_read(file, block.bytes, BLOCK)) > 0;) {
            block.count = (size_t)n;
            err = co4_mailbox_send(blocks, &block);
        }
        block.count = 0; /* no word goes on in the next file */
        if (err == CO4_OK)
            err = co4_mailbox_send(blocks, &block);
        co4_close(file);
        if (err != CO4_OK)
            return err;
        fprintf(stderr, "read %s\n", files[i]);
    }
    return co4_mailbox_close(blocks);
}

/* *c: the next letter of the input in lower case, 0 between words, EOF at the end. */
pausable int next_letter(co4_mailbox *blocks, struct block *block, size_t *at, int *c)
{
    *c = 0;
    if (*at == block->count) {
        int err = co4_mailbox_receive(blocks, block);
        if (err == CO4_ECLOSED)
            *c = EOF;
        else if (err != CO4_OK)
            return err;
        *at = 0;
        if (err == CO4_ECLOSED || block->count == 0)
            return CO4_OK;
    }
    unsigned char byte = (unsigned char)block->bytes[(*at)++];
    if (byte < 0x80 && isalpha(byte))
        *c = tolower(byte);
    return CO4_OK;
}

struct text {
    char *word;
    size_t length, room;
};

/* The letters of one word after the other; each word goes to its counter. */
pausable int tokenize(co4_mailbox *blocks, struct tally *tallies, struct text *t)
{
    struct block block = { .count = 0 };
    size_t at = 0;
    for (int c = 0; c != EOF;) {
        int err = next_letter(blocks, &block, &at, &c);
        if (err != CO4_OK)
            return err;
        if (t->length + 1 >= t->room) {
            char *more = realloc(t->word, 2 * t->room + 16);
            if (more == NULL)
                return CO4_ENOMEM;
            t->word = more;
            t->room = 2 * t->room + 16;
        }
        if (c > 0) {
            t->word[t->length++] = (char)c;
        } else if (t->length > 0) {
            t->word[t->length] = '\0';
            char *copy = strdup(t->word);
            err = copy ? co4_mailbox_send(tallies[t->word[0] % COUNTERS].words, &copy) : CO4_ENOMEM;
            if (err != CO4_OK) {
                free(copy); /* else the counter owns it now */
                return err;
            }
            t->length = 0;
        }
    }
    return CO4_OK;
}

pausable int tokenizer(co4_mailbox *blocks, struct tally *tallies)
{
    struct text text = { NULL, 0, 0 };
    int err = tokenize(blocks, tallies, &text);
    free(text.word);
    for (int i = 0; i < COUNTERS; i++)
        co4_mailbox_close(tallies[i].words);
    return err;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

/* Takes the word over, whatever it returns. */
static int count_word(struct tally *tally, char *text)
{
    struct word key = { text, 0 };
    struct word **found = tfind(&key, &tally->tree, by_text);
    if (found != NULL) {
        (*found)->count++;
        free(text);
        return CO4_OK;
    }
    if ((tally->nall & (tally->nall - 1)) == 0) {
        struct word **more = realloc(tally->all,
                                     (tally->nall ? 2 * tally->nall : 1) * sizeof *tally->all);
        tally->all = more ? more : tally->all;
        if (more == NULL) {
            free(text);
            return CO4_ENOMEM;
        }
    }
    struct word *word = malloc(sizeof *word);
    if (word != NULL)
        *word = (struct word){ text, 1 };
    if (word == NULL || tsearch(word, &tally->tree, by_text) == NULL) {
        free(word);
        free(text);
        return CO4_ENOMEM;
    }
    tally->all[tally->nall++] = word;
    return CO4_OK;
}

pausable int counter(struct tally *tally)
{
    char *text;
    int err = CO4_OK;
    while (err == CO4_OK && co4_mailbox_receive(tally->words, &text) == CO4_OK)
        err = count_word(tally, text);
    return err;
}

static int by_count(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

/* Prints the words with the highest counts of all tallies, if that is wanted, and frees them. */
static void print_top(struct tally *tallies, bool wanted)
{
    size_t count = 0;
    for (int i = 0; i < COUNTERS; i++)
        count += tallies[i].nall;
    struct word **all = malloc((count + 1) * sizeof *all);
    if (all == NULL)
        abort();
    count = 0;
    for (int i = 0; i < COUNTERS; i++) {
        for (size_t j = 0; j < tallies[i].nall; j++) {
            all[count++] = tallies[i].all[j];
            tdelete(tallies[i].all[j], &tallies[i].tree, by_text);
        }
        free(tallies[i].all);
    }
    qsort(all, count, sizeof *all, by_count);
    for (size_t i = 0; i < count; i++) {
        if (wanted && i < TOP)
            printf("%7ld %s\n", all[i]->count, all[i]->text);
        free(all[i]->text);
        free(all[i]);
    }
    free(all);
}

struct job {
    char **files;
    int failures; /* files that cannot be read */
    co4_mailbox *blocks;
    struct tally tallies[COUNTERS];
};

pausable int stages(struct job *job)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, reader(job->files, job->blocks, &job->failures));
    for (int i = 0; i < COUNTERS && err == CO4_OK; i++)
        err = co4_scope_spawn(scope, counter(&job->tallies[i]));
    return err == CO4_OK ? tokenizer(job->blocks, job->tallies) : err;
}

/* On one worker a processor. */
static int run(struct job *job)
{
    int err = CO4_ENOMEM;
    co4_runtime *rt = co4_runtime_create(NULL);
    if (rt != NULL && (err = co4_runtime_start(rt)) == CO4_OK) {
        co4_future *f = co4_async(co4_scope_run(0, stages(job)));
        err = f ? co4_block(co4_future_await(f, NULL)) : CO4_ENOMEM;
        co4_future_release(f);
        co4_runtime_join(rt);
    }
    co4_runtime_destroy(rt);
    return err;
}

int main(int argc, char **argv)
{
    glob_t licences = { .gl_pathv = NULL };
    struct job job = { .files = argv + 1, .blocks = co4_mailbox_create(sizeof(struct block), 8) };
    int err = job.blocks ? CO4_OK : CO4_ENOMEM;
    if (argc < 2) {
        if (glob("/usr/share/common-licenses/*", 0, NULL, &licences) != 0) {
            fprintf(stderr, "usage: wordcount FILE ...\n");
            return 2;
        }
        job.files = licences.gl_pathv;
    }
    for (int i = 0; i < COUNTERS; i++)
        if (!(job.tallies[i].words = co4_mailbox_create(sizeof(char *), CO4_MAILBOX_CAPACITY)))
            err = CO4_ENOMEM;
    if (err == CO4_OK)
        err = run(&job);
    if (err != CO4_OK)
        fprintf(stderr, "wordcount: %s\n", co4_strerror(err));
    print_top(job.tallies, err == CO4_OK);
    for (int i = 0; i < COUNTERS; i++) {
        for (char *left; job.tallies[i].words &&
                         co4_mailbox_receive_until(job.tallies[i].words, &left, CO4_NOW) == CO4_OK;)
            free(left);
        co4_mailbox_destroy(job.tallies[i].words);
    }
    co4_mailbox_destroy(job.blocks);
    globfree(&licences);
    return err != CO4_OK || job.failures != 0;
}
