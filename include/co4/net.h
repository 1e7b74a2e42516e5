/* co4/net.h - names, and sockets that are ready for use: TCP, Unix, UDP.
 *
 *     pausable int greet(const char *host)
 *     {
 *         int fd = co4_tcp_connect_until(host, "7", co4_now() + 5 * CO4_SEC);
 *         if (fd < 0)
 *             return fd;
 *         co4_write(fd, "hello", 5);
 *         return co4_close(fd);
 *     }
 *
 * The descriptors are used with the calls of io.h, and closed by co4_close(). They have
 * close-on-exec, and TCP has TCP_NODELAY.
 *
 * A name is looked up by getaddrinfo() on a thread of the resolver, while the task pauses. These
 * codes (error.h) are those of names alone. -ENOENT: there is no such host, or none of this
 * family. CO4_EAGAIN: no name server has answered; a later call may succeed. -EIO: the name servers
 * have failed for good. No socket call of TCP or UDP has these three. A port that is neither a
 * number up to 65535 nor the name of a service is CO4_EINVAL. */
#ifndef CO4_NET_H
#define CO4_NET_H

#ifdef __wasi__
#error "co4/net.h: WASI has no names, and makes no sockets"
#endif

#include <stdint.h>

#include "error.h"
#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: a descriptor, or a negative code: as above; CO4_ECANCELED when the task is cancelled;
 *     CO4_EINVAL for arguments that make no sense; CO4_ESTATE inside a generator; -ECONNREFUSED and
 *     others of the system. _until: CO4_ETIMEDOUT when the deadline comes; CO4_EBUSY with CO4_NOW.
 * Pauses: until the result is there. Plain: blocks the thread.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED; nothing stays open.
 * Thread safety: any task and thread, at the same time.
 * Ownership: arguments stay the caller's. The descriptor is the caller's, until co4_close().
 * Since: 0.2. */

/* ---- names ---- */

/* Of <netdb.h>. */
struct addrinfo;

/* Looks up a host and a service, as getaddrinfo() does. A numeric host, or NULL, with a numeric
 * service, or NULL, is answered at once. A lookup that the task does not wait for any more goes on
 * in its thread, which it occupies until then.
 *
 * Returns: CO4_OK, or a code as above; CO4_EAGAIN also if the system gives no thread.
 * Pauses: until the answer is there. In a build without threads, and in test mode, the call blocks
 *     the thread, and the deadline is not noticed.
 * Ownership: *result is the caller's, until freeaddrinfo(); NULL unless the call returns CO4_OK. */
pausable_or_block int co4_resolve(const char *host, const char *service,
                                  const struct addrinfo *hints, struct addrinfo **result);
pausable_or_block int co4_resolve_until(const char *host, const char *service,
                                        const struct addrinfo *hints, struct addrinfo **result,
                                        int64_t deadline);

/* The greatest number of threads of the resolver, unless co4_resolver_limit() sets another. */
#define CO4_RESOLVER_THREADS 4

/* Sets the greatest number of threads of the resolver, and so of lookups at once; the default is
 * CO4_RESOLVER_THREADS. Further lookups queue, first come, first served. Threads start when they
 * are needed, and end after some seconds without lookups.
 *
 * Returns: CO4_OK; CO4_EINVAL below 1.
 * Pauses: never. */
int co4_resolver_limit(int threads);

/* Threads of the resolver, at some moment during the call.
 *
 * Returns: the number.
 * Pauses: never. */
int co4_resolver_threads(void);

/* Ends the threads of the resolver, for a program that has to end without threads. Later calls
 * start new ones. A program may exit without this call, also while a lookup hangs.
 *
 * Returns: CO4_OK; CO4_EDEADLK inside a task.
 * Pauses: never.
 * Blocks: the thread, until all lookups have ended. */
int co4_resolver_stop(void);

/* ---- TCP ---- */

/* Connects to a host and a port, a number or the name of a service. `host` is a name, an address,
 * or NULL for this machine. If the host has several addresses, those of both families alternate. An
 * attempt starts when the one before has failed, or 250 ms after its start; the first that connects
 * is the result (RFC 8305).
 *
 * Returns: as above. If no attempt connects, the code is from an attempt that has reached the
 *     network, if there was one. */
pausable_or_block int co4_tcp_connect(const char *host, const char *port);
pausable_or_block int co4_tcp_connect_until(const char *host, const char *port, int64_t deadline);

/* Flags of co4_tcp_listen(), co4_unix_listen() and co4_udp_bind(). */
#define CO4_LISTEN_REUSEPORT 1 /* SO_REUSEPORT: several sockets share the port */
/* At most n connections wait to be accepted; without it the number is SOMAXCONN. */
#define CO4_LISTEN_BACKLOG(n) ((int)((unsigned)(n) << 8))

/* Listens at a port; "0" is a free one, and co4_socket_port() returns it. With NULL the host is
 * every address of this machine: one socket for both families where there is IPv6, else for IPv4.
 * Otherwise it is the first address of `host` that can be bound, for its family alone. The socket
 * has SO_REUSEADDR. `flags`: those above, or 0. */
pausable_or_block int co4_tcp_listen(const char *host, const char *port, int flags);
pausable_or_block int co4_tcp_listen_until(const char *host, const char *port, int flags,
                                           int64_t deadline);

/* The port of a bound socket, of TCP or UDP.
 *
 * Returns: the port; a code: -EAFNOSUPPORT for a socket of another family.
 * Pauses: never. */
int co4_socket_port(int fd);

/* Accepts the next connection, for the loop of a server: also at a Unix socket. A connection that
 * has failed meanwhile is passed over. When there is no descriptor or no memory for a connection
 * (EMFILE, ENFILE, ENOBUFS, ENOMEM), the task waits until a descriptor is closed by co4_close(), or
 * for a time that grows from 5 ms to 1 s, and tries again.
 *
 * Returns: as above; CO4_ECLOSED also when the listener is closed; CO4_EBUSY with CO4_NOW.
 * Pauses: until there is a connection. */
pausable_or_block int co4_accept_next(int listener);
pausable_or_block int co4_accept_next_until(int listener, int64_t deadline);

/* ---- Unix sockets ---- */

/* Listens at a path. A name that begins with @ is an abstract one, of Linux. A socket file without
 * a server is replaced: a connect finds out. The mode of the file is 0777 less the umask; a process
 * that may write to it may connect. The file stays when the socket is closed. `flags`:
 * CO4_LISTEN_BACKLOG() or 0.
 *
 * Returns: as above. -EADDRINUSE when a server listens there, and for a file that is no socket;
 *     -ENAMETOOLONG; -ENOTSUP for an abstract name on other systems.
 * Pauses: for moments. */
pausable_or_block int co4_unix_listen(const char *path, int flags);
pausable_or_block int co4_unix_listen_until(const char *path, int flags, int64_t deadline);

/* Connects to a stream socket at a path, or at an abstract name.
 *
 * Returns: as above. */
pausable_or_block int co4_unix_connect(const char *path);
pausable_or_block int co4_unix_connect_until(const char *path, int64_t deadline);

/* ---- UDP ---- */

/* Binds a socket for datagrams; the arguments are those of co4_tcp_listen(). `flags` is 0 or
 * CO4_LISTEN_REUSEPORT. */
pausable_or_block int co4_udp_bind(const char *host, const char *port, int flags);
pausable_or_block int co4_udp_bind_until(const char *host, const char *port, int flags,
                                         int64_t deadline);

/* Makes a socket for datagrams to and from the first address of the host that has a route. Nothing
 * is sent. */
pausable_or_block int co4_udp_connect(const char *host, const char *port);
pausable_or_block int co4_udp_connect_until(const char *host, const char *port, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
