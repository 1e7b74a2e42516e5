/* co4/test_network.h - the network of test mode. co4/test.h includes it.
 *
 * In test mode the sockets, socket pairs and pipes that tasks make with the calls of co4/io.h are
 * simulated. Bytes and datagrams wait in queues of the library, and arrive by the clock of the
 * test. The seed decides how long they travel, where a stream is cut, and what fails. So a client,
 * its server and their network run the same for the same seed, and a search of seeds finds a
 * failure that can be repeated.
 *
 *     co4_test_begin(&(co4_test_options){ .seed = 7 });
 *     co4_test_network(&(co4_test_network_options){ .reset = 50, .loss = 20 });
 *     co4_run(clients_and_server());
 *     co4_test_end(NULL);
 *
 * Without options no connection fails, so a correct program passes with every seed.
 *
 * Each address is a host of its own: a server binds to "10.0.0.1", another one to "10.0.0.2". A
 * client that has not bound its socket has the address 192.0.2.1 or 2001:db8::1, or that of its
 * peer if that is a loopback address. Names of Unix sockets make no files. A port is in use as on
 * Linux, also for 60 s after a connection that its server has closed first: SO_REUSEADDR. */
#ifndef CO4_TEST_NETWORK_H
#define CO4_TEST_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As `short_counts`: never. */
#define CO4_TEST_NO_SHORT_COUNTS 0xffffffffu

/* How the network behaves. A seed of 0 has no random choices: no fault comes, no count is short,
 * and each latency is `latency_min`. */
typedef struct co4_test_network_options {
    /* How long a segment or a datagram travels. Both 0: 20 µs to 1 ms. */
    int64_t latency_min, latency_max;
    /* Bytes that a stream holds between a writer and its reader; then the writer waits. 0: 65536.
     * SO_SNDBUF sets it for one socket. */
    size_t buffer;
    /* A read or a write of a stream takes a part only, once in so many times. 0: 3. */
    unsigned short_counts;
    /* The following come once in so many times; 0: never. They concern IP, not Unix sockets and
     * pipes. */
    unsigned loss;      /* a datagram is lost; a segment of a stream comes 200 ms later */
    unsigned duplicate; /* a datagram comes twice */
    unsigned reset;     /* a segment does not come, but resets its connection */
    unsigned refuse;    /* a connection is refused */
} co4_test_network_options;

/* What has happened in the network. */
typedef struct co4_test_network_result {
    unsigned long long segments, bytes;  /* of streams, that have arrived */
    unsigned long long datagrams;        /* that have arrived */
    unsigned long long lost, duplicates; /* datagrams and segments; also by a partition */
    unsigned long long connected, refused, resets;
    unsigned long long open; /* descriptors that are simulated and not closed now */
} co4_test_network_result;

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: the thread that is in test mode; in a task of a runtime with the option `test` it
 *     is about that one's test.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* Sets how the network behaves from now on. NULL: as at the beginning.
 *
 * Returns: CO4_OK; CO4_EINVAL; CO4_ENOMEM; CO4_ESTATE outside test mode, and on systems without
 *     sockets.
 * Ownership: the options are copied. */
int co4_test_network(const co4_test_network_options *options);

/* With `on`, nothing gets through between the two hosts, as texts: "10.0.0.1", "fd00::1". NULL: any
 * host. Without, it is over. Datagrams are lost. Streams send again after 200 ms, 400 ms and so on,
 * and fail with ETIMEDOUT at the sixteenth time. A connection that begins fails so after 127 s.
 *
 * Returns: CO4_OK, also if nothing changes; CO4_EINVAL; CO4_ENOMEM; CO4_ESTATE as above. */
int co4_test_network_partition(const char *a, const char *b, int on);

/* Writes what has happened so far to *out.
 *
 * Returns: CO4_OK; CO4_EINVAL; CO4_ESTATE as above, and when the network has not been used. */
int co4_test_network_result_of(co4_test_network_result *out);

#ifdef __cplusplus
}
#endif

#endif
