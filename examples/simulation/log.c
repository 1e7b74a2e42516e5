/* log.c - a replicated log, of nothing but POSIX: threads, sockets and a file.
 *
 *     log lead NAME...                  the first server, which the others of these names follow
 *     log follow                        one of the others
 *     log write LEADER FIRST LAST [MS]  appends these numbers, so many ms apart, and looks whether
 *                                       they are there
 *
 * The leader appends a value to its file, and sends it to the others. It answers when a majority
 * has it on disk. A client sends a value again until it has the answer: so the same value may come
 * twice, and is appended once. Each record has a sum, as the last one may be torn by a crash.
 *
 * -DHASTY plants a mistake: the leader counts itself before its file is synced. log.nodes says what
 * happens to the machines. */
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST = 8, ROOM = 10000 };

struct record {
    int value, sum;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int file, values[ROOM], length;
    int has[MOST]; /* the length of each one's log, as far as the leader knows */
    int count;     /* servers; the leader is number 0 */
} self = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

static int sum_of(int at, int value)
{
    return (int)((unsigned)value * 2654435761u ^ ((unsigned)at + 1) * 40503u);
}

/* ---- the file ---- */

static void open_log(void)
{
    struct record r;
    int folder = open(".", O_RDONLY | O_DIRECTORY);
    self.file = open("entries", O_RDWR | O_CREAT, 0666);
    check(self.file >= 0 && folder >= 0 && fsync(folder) == 0, "entries");
    close(folder);
    while (pread(self.file, &r, sizeof r, self.length * (off_t)sizeof r) == sizeof r &&
           r.sum == sum_of(self.length, r.value))
        self.values[self.length++] = r.value;
    check(ftruncate(self.file, self.length * (off_t)sizeof r) == 0, "entries");
    check(fsync(self.file) == 0, "entries");
}

/* With the lock. Returns the place of the value, which may be there already. */
static int append(int value, int sync)
{
    struct record r = { value, sum_of(self.length, value) };
    for (int i = self.length; i-- > 0;)
        if (self.values[i] == value)
            return i;
    check(self.length < ROOM, "full");
    check(pwrite(self.file, &r, sizeof r, self.length * (off_t)sizeof r) == sizeof r, "entries");
    check(!sync || fsync(self.file) == 0, "entries");
    self.values[self.length] = value;
    return self.length++;
}

/* ---- lines ---- */

struct lines {
    int fd, begin, end;
    char text[512];
};

/* The next line, without its end. NULL: there is none in time, or at all. */
static char *next_line(struct lines *l)
{
    for (;;) {
        char *end = memchr(l->text + l->begin, '\n', (size_t)(l->end - l->begin));
        if (end) {
            char *line = l->text + l->begin;
            *end = '\0';
            l->begin = (int)(end + 1 - l->text);
            return line;
        }
        memmove(l->text, l->text + l->begin, (size_t)(l->end - l->begin));
        l->end -= l->begin;
        l->begin = 0;
        ssize_t n = read(l->fd, l->text + l->end, sizeof l->text - (size_t)l->end);
        if (n <= 0)
            return NULL;
        l->end += (int)n;
    }
}

static int send_line(int fd, const char *word, int a, int b)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s %d %d\n", word, a, b), done = 0;
    while (done < n) {
        ssize_t part = write(fd, text + done, (size_t)(n - done));
        if (part <= 0)
            return 0;
        done += (int)part;
    }
    return 1;
}

/* Sends a request and takes the number of the answer; -1: there is none. */
static int ask(struct lines *l, const char *word, int a, int b)
{
    char *line = send_line(l->fd, word, a, b) ? next_line(l) : NULL;
    return line ? atoi(line) : -1;
}

static int connect_to(const char *name)
{
    struct addrinfo *found, wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    struct timeval patience = { 2, 0 };
    if (getaddrinfo(name, "7000", &wanted, &found) != 0)
        return -1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    check(fd >= 0, "socket");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    int failed = connect(fd, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (!failed)
        return fd;
    close(fd);
    return -1;
}

/* ---- the leader ---- */

struct follower {
    int number;
    const char *name;
};

/* Sends what it lacks to a follower, one connection after the other. */
static void *replicate(void *data)
{
    const struct follower *f = data;
    for (;; usleep(100000)) {
        struct lines l = { .fd = connect_to(f->name) };
        int has = l.fd < 0 ? -1 : ask(&l, "length", 0, 0);
        while (has >= 0) {
            pthread_mutex_lock(&self.lock);
            self.has[f->number] = has;
            pthread_cond_broadcast(&self.changed);
            while (has >= self.length)
                pthread_cond_wait(&self.changed, &self.lock);
            int value = self.values[has];
            pthread_mutex_unlock(&self.lock);
            has = ask(&l, "copy", has, value);
        }
        if (l.fd >= 0)
            close(l.fd);
    }
    return NULL;
}

/* Returns where the value is, once a majority has it. */
static int put(int value)
{
    pthread_mutex_lock(&self.lock);
#ifdef HASTY
    int at = append(value, 0);
#else
    int at = append(value, 1);
#endif
    pthread_cond_broadcast(&self.changed);
    for (int have = 0; 2 * have <= self.count;) {
        have = 1;
        for (int i = 1; i < self.count; i++)
            have += self.has[i] > at;
        if (2 * have <= self.count)
            pthread_cond_wait(&self.changed, &self.lock);
    }
    pthread_mutex_unlock(&self.lock);
    return at;
}

/* ---- servers ---- */

/* A follower: the value's place is behind all that it has, or it takes nothing. */
static int copy(int at, int value)
{
    pthread_mutex_lock(&self.lock);
    if (at == self.length)
        append(value, 1);
    int length = self.length;
    pthread_mutex_unlock(&self.lock);
    return length;
}

static int get(int at)
{
    pthread_mutex_lock(&self.lock);
    int value = at >= 0 && at < self.length ? self.values[at] : 0;
    pthread_mutex_unlock(&self.lock);
    return value;
}

static void *serve(void *data)
{
    struct lines l = { .fd = (int)(long)data };
    char *line, word[16];
    int a, b;
    while ((line = next_line(&l)) != NULL && sscanf(line, "%15s %d %d", word, &a, &b) == 3) {
        int answer = strcmp(word, "put") == 0    ? put(a)
                     : strcmp(word, "copy") == 0 ? copy(a, b)
                     : strcmp(word, "get") == 0  ? get(a)
                                                 : copy(-1, 0);
        char text[32];
        int n = snprintf(text, sizeof text, "%d\n", answer);
        if (write(l.fd, text, (size_t)n) != n)
            break;
    }
    close(l.fd);
    return NULL;
}

static void run_server(char **names, int followers)
{
    static struct follower all[MOST];
    struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(7000) };
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    pthread_t thread;
    open_log();
    self.count = followers + 1;
    check(self.count <= MOST, "too many");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    check(bind(listener, (struct sockaddr *)&any, sizeof any) == 0, "bind");
    check(listen(listener, 16) == 0, "listen");
    for (int i = 1; i <= followers; i++) {
        all[i] = (struct follower){ i, names[i - 1] };
        check(pthread_create(&thread, NULL, replicate, &all[i]) == 0, "thread");
    }
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            continue;
        check(pthread_create(&thread, NULL, serve, (void *)(long)fd) == 0, "thread");
        pthread_detach(thread);
    }
}

/* ---- a client ---- */

static int ask_until(struct lines *l, const char *leader, const char *word, int a)
{
    for (;; usleep(100000)) {
        if (l->fd < 0)
            *l = (struct lines){ .fd = connect_to(leader) };
        int answer = l->fd < 0 ? -1 : ask(l, word, a, 0);
        if (answer >= 0)
            return answer;
        if (l->fd >= 0)
            close(l->fd);
        l->fd = -1;
    }
}

static int run_client(const char *leader, int first, int last, int ms)
{
    struct lines l = { .fd = -1 };
    static int places[ROOM];
    int failed = 0;
    for (int value = first; value <= last; value++) {
        places[value - first] = ask_until(&l, leader, "put", value);
        usleep((unsigned)ms * 1000);
    }
    for (int value = first; value <= last; value++) {
        int place = places[value - first], found = ask_until(&l, leader, "get", place);
        if (found != value)
            failed = printf("%d was acknowledged at %d, where %d is\n", value, place, found);
    }
    return failed != 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && (strcmp(argv[1], "lead") == 0 || strcmp(argv[1], "follow") == 0))
        run_server(argv + 2, argc - 2);
    else if (argc >= 5 && strcmp(argv[1], "write") == 0 && atoi(argv[4]) - atoi(argv[3]) < ROOM)
        return run_client(argv[2], atoi(argv[3]), atoi(argv[4]), argc > 5 ? atoi(argv[5]) : 0);
    fprintf(stderr, "usage: log lead NAME... | log follow | log write LEADER FIRST LAST [MS]\n");
    return 2;
}
