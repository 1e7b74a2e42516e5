/* model.h - the words that the models share. Each represents one indivisible step of the C code. */

#define LOCK(l)                                                                                    \
    atomic                                                                                         \
    {                                                                                              \
        !l->l = true                                                                               \
    }
#define UNLOCK(l) l = false

/* Waiting, of a task or a listener's wait: wait.c, source.c. */
#define NONE   0
#define LISTED 1
#define BUSY   2

/* co4__claim: sets `won`. BUSY is spun on: as a guard, so that a wait for ever is seen as a
 * deadlock. */
#define CLAIM(word, won)                                                                           \
    atomic                                                                                         \
    {                                                                                              \
        word != BUSY;                                                                              \
        won = (word == LISTED);                                                                    \
        word = NONE                                                                                \
    }
