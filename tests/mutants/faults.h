/* faults.h - the faults of a source: the one that is chosen acts, all others do as the source says.
 *
 * `run` includes it at the head of each source it changes. CO4_FAULT in the environment is the
 * number of the chosen fault, and in the file that CO4_FAULT_MAP names the byte of each fault that
 * is reached becomes 1. It declares what it needs by itself, because the source behind it chooses
 * its own feature macros. */
#ifndef CO4_FAULTS_H
#define CO4_FAULTS_H
#define CO4_FAULTS_END 4096 /* numbers are below it */

char *co4_fault_getenv(const char *name) __asm__("getenv");
int co4_fault_open(const char *path, int flags, ...) __asm__("open");
int co4_fault_close(int descriptor) __asm__("close");
int co4_fault_number(const char *text) __asm__("atoi");
void *co4_fault_mmap(void *at, unsigned long size, int may, int how, int descriptor,
                     long from) __asm__("mmap");

/* One of each in a program or a library. */
__attribute__((weak, visibility("hidden"))) int co4_fault_chosen;
__attribute__((weak, visibility("hidden"))) unsigned char *co4_fault_map;

static __attribute__((constructor(101), used)) void co4_fault_begin(void)
{
    const char *chosen = co4_fault_getenv("CO4_FAULT"), *map = co4_fault_getenv("CO4_FAULT_MAP");
    if (chosen)
        co4_fault_chosen = co4_fault_number(chosen);
    if (!map || co4_fault_map)
        return;
    int descriptor = co4_fault_open(map, 02 /* O_RDWR */ | 02000000 /* O_CLOEXEC */);
    if (descriptor < 0)
        return;
    void *bytes = co4_fault_mmap((void *)0, CO4_FAULTS_END, 3, 1, descriptor,
                                 0); /* read, write; shared */
    if (bytes != (void *)-1)
        co4_fault_map = bytes;
    co4_fault_close(descriptor);
}

static inline __attribute__((unused)) int co4_fault(int number)
{
    if (__builtin_expect(co4_fault_map != (void *)0, 0))
        co4_fault_map[number] = 1;
    return __builtin_expect(co4_fault_chosen == number, 0);
}

/* What a switch looks at, when it is to have forgotten a case. */
static inline __attribute__((unused)) long co4_forget(int number, long at, long a_case)
{
    return at == a_case && co4_fault(number) ? -4711 : at;
}
#endif
