/* many.h - sessions of a blocking library that all wait at once, a thread each.
 *
 * many.c has main(), which knows nothing of the library; a program for each has the functions
 * below. It is built with threads, and the same with tasks. */
#ifndef MANY_H
#define MANY_H

/* One session: connects, calls many_waits(), waits in a call of the library until many_release()
 * has been called, and makes MANY_ROUNDS more calls. Returns how many of these were right, or
 * -1. */
int many_session(const char *server, int i);

/* The session's next call of the library waits. */
void many_waits(void);

/* Lets all sessions go on; main() calls it. Returns 0 if it cannot. */
int many_release(const char *server, int count);

enum { MANY_ROUNDS = 5 };

#endif
