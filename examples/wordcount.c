/* wordcount.c - the most frequent words of text files: reader -> tokenizer -> counters, tasks joined by mailboxes.
 *
 *     wordcount [FILE ...]      the files under /usr/share/common-licenses when absent
 *
 * A word is a run of letters, in lower case. Each counter owns the words of its share of the alphabet, so it needs no lock; a bounded
 * mailbox in front of each stage keeps a fast one from running away. A stage ends when the mailbox it reads is closed. */
#define _XOPEN_SOURCE 700
#include <co4.h>
#include <ctype.h>
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

pausable void reader(char **files, co4_mailbox *blocks, int *failures)
{
    for (int i = 0; files[i] != NULL; i++) {
        FILE *file = fopen(files[i], "rb");
        struct block block;
        if (file == NULL) {
            perror(files[i]);
            ++*failures;
            continue;
        }
        while ((block.count = fread(block.bytes, 1, BLOCK, file)) > 0)
            co4_mailbox_put(blocks, &block);
        block.count = 0; /* no word goes on in the next file */
        co4_mailbox_put(blocks, &block);
        fclose(file);
        fprintf(stderr, "read %s\n", files[i]);
    }
    co4_mailbox_close(blocks);
}

/* The next letter of the input in lower case, 0 between words, EOF at the end. */
pausable int next_letter(co4_mailbox *blocks, struct block *block, size_t *at)
{
    if (*at == block->count) {
        if (co4_mailbox_get(blocks, block) != CO4_OK)
            return EOF;
        *at = 0;
        if (block->count == 0)
            return 0;
    }
    unsigned char c = (unsigned char)block->bytes[(*at)++];
    return c < 0x80 && isalpha(c) ? tolower(c) : 0;
}

pausable void tokenizer(co4_mailbox *blocks, struct tally *tallies)
{
    struct block block = { .count = 0 };
    size_t at = 0, length = 0, room = 0;
    char *word = NULL;
    for (int c = 0; c != EOF;) {
        c = next_letter(blocks, &block, &at);
        if (length + 1 >= room && (word = realloc(word, room = 2 * room + 16)) == NULL)
            abort();
        if (c > 0) {
            word[length++] = (char)c;
        } else if (length > 0) {
            word[length] = '\0';
            char *copy = strdup(word);
            co4_mailbox_put(tallies[word[0] % COUNTERS].words, &copy); /* the counter owns it now */
            length = 0;
        }
    }
    free(word);
    for (int i = 0; i < COUNTERS; i++)
        co4_mailbox_close(tallies[i].words);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

pausable void counter(struct tally *tally)
{
    char *text;
    while (co4_mailbox_get(tally->words, &text) == CO4_OK) {
        struct word key = { text, 0 };
        struct word **found = tfind(&key, &tally->tree, by_text);
        if (found != NULL) {
            (*found)->count++;
            free(text);
            continue;
        }
        struct word *word = malloc(sizeof *word);
        *word = (struct word){ text, 1 };
        tsearch(word, &tally->tree, by_text);
        if ((tally->nall & (tally->nall - 1)) == 0)
            tally->all = realloc(tally->all,
                                 (tally->nall ? 2 * tally->nall : 1) * sizeof *tally->all);
        tally->all[tally->nall++] = word;
    }
}

static int by_count(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

/* Prints the words with the highest counts of all tallies, and frees them. */
static void print_top(struct tally *tallies)
{
    size_t count = 0;
    for (int i = 0; i < COUNTERS; i++)
        count += tallies[i].nall;
    struct word **all = malloc((count + 1) * sizeof *all);
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
        if (i < TOP)
            printf("%7ld %s\n", all[i]->count, all[i]->text);
        free(all[i]->text);
        free(all[i]);
    }
    free(all);
}

int main(int argc, char **argv)
{
    glob_t licences = { .gl_pathv = NULL };
    char **files = argv + 1;
    if (argc < 2) {
        if (glob("/usr/share/common-licenses/*", 0, NULL, &licences) != 0) {
            fprintf(stderr, "usage: wordcount FILE ...\n");
            return 2;
        }
        files = licences.gl_pathv;
    }
    int failures = 0;
    struct tally tallies[COUNTERS] = { { .words = NULL } };
    co4_runtime *rt = co4_runtime_create(NULL);
    co4_mailbox *blocks = co4_mailbox_create(sizeof(struct block), 8);
    co4_runtime_spawn(rt, reader(files, blocks, &failures));
    for (int i = 0; i < COUNTERS; i++) {
        tallies[i].words = co4_mailbox_create(sizeof(char *), CO4_MAILBOX_CAPACITY);
        co4_runtime_spawn(rt, counter(&tallies[i]));
    }
    co4_runtime_spawn(rt, tokenizer(blocks, tallies));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    print_top(tallies);
    for (int i = 0; i < COUNTERS; i++)
        co4_mailbox_destroy(tallies[i].words);
    co4_mailbox_destroy(blocks);
    co4_runtime_destroy(rt);
    globfree(&licences);
    return failures != 0;
}
