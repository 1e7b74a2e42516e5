/* os_processes_by_threads.c - os_processes.c with a thread in place of each pidfd.
 * needs: descriptors forks threads workers
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: exit 7, signal 15, status 7 again, kill ESRCH
 * expect: start: ENOENT ENOENT EACCES ENOEXEC E2BIG CO4_EINVAL CO4_EINVAL CO4_ECLOSED ENOENT EMFILE
 * expect: sort: a b c
 * expect: kinds: null:0 error to output:out err, given:given folder:/ env:yes
 * expect: signals: none blocked, SIGPIPE default, SIGHUP ignored; descriptors: 3
 * expect: low numbers: out err, through
 * expect: large: 3000000 bytes to a slow reader
 * expect: broken pipe: EPIPE
 * expect: deadline: CO4_ETIMEDOUT, then exit 3
 * expect: select: the mailbox first, then the end
 * expect: run: exit 4; pipe CO4_EINVAL; deadline CO4_ETIMEDOUT by signal 15; stubborn by signal 9
 * expect: cancelled: CO4_ECANCELED, by signal 15
 * expect: cancelled before: CO4_ECANCELED, -1
 * expect: group: CO4_ETIMEDOUT, nothing holds the pipe
 * expect: output: "hello\n" 6, exit 0; none 0; more EMSGSIZE with 100000; missing ENOENT; deadline CO4_ETIMEDOUT after early
 * expect: destroyed: a running child, a stopped child, an ended one
 * expect: owners: -1 CO4_ECLOSED, the connection goes on: b
 * expect: closed: -1, other files are open: 1 1 1
 * expect: twenty at once: 190
 * expect: left: ECHILD, descriptors: as many as before
 * expect: status lost: ECHILD */
#define BY_THREADS
#include "os_processes.c" /* NOLINT(bugprone-suspicious-include) */
