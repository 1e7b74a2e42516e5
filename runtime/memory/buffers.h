/* buffers.h - buffers of one size for input and output. */
#ifndef CO4_BUFFERS_H
#define CO4_BUFFERS_H

#define CO4__BUFFER_BYTES 16384u

void *co4__buffer_take(void); /* not zeroed; NULL: allocation failed */
void co4__buffer_drop(void *buffer);
void co4__buffers_thread_exit(void);

#endif
