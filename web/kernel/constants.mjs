// constants.mjs - the numbers of Linux that calls of the kernel take and return.
//
// They are those of x86-64 and of most other processors (asm-generic).

export const O_ACCMODE = 0o3, O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2;
export const O_CREAT = 0o100, O_EXCL = 0o200, O_NOCTTY = 0o400, O_TRUNC = 0o1000;
export const O_APPEND = 0o2000, O_NONBLOCK = 0o4000, O_DSYNC = 0o10000, O_DIRECT = 0o40000;
export const O_LARGEFILE = 0o100000, O_DIRECTORY = 0o200000, O_NOFOLLOW = 0o400000;
export const O_NOATIME = 0o1000000, O_CLOEXEC = 0o2000000, O_SYNC = 0o4010000;
export const O_PATH = 0o10000000, O_TMPFILE = 0o20200000;

export const F_DUPFD = 0, F_GETFD = 1, F_SETFD = 2, F_GETFL = 3, F_SETFL = 4;
export const F_GETLK = 5, F_SETLK = 6, F_SETLKW = 7, F_SETOWN = 8, F_GETOWN = 9;
export const F_OFD_GETLK = 36, F_OFD_SETLK = 37, F_OFD_SETLKW = 38;
export const F_DUPFD_CLOEXEC = 1030, F_SETPIPE_SZ = 1031, F_GETPIPE_SZ = 1032;
export const FD_CLOEXEC = 1;
export const F_RDLCK = 0, F_WRLCK = 1, F_UNLCK = 2;
export const LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8;

export const SEEK_SET = 0, SEEK_CUR = 1, SEEK_END = 2, SEEK_DATA = 3, SEEK_HOLE = 4;

export const POLLIN = 1, POLLPRI = 2, POLLOUT = 4, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32;
export const POLLRDNORM = 64, POLLWRNORM = 256, POLLRDHUP = 0x2000;

export const S_IFMT = 0o170000, S_IFSOCK = 0o140000, S_IFLNK = 0o120000, S_IFREG = 0o100000;
export const S_IFBLK = 0o060000, S_IFDIR = 0o040000, S_IFCHR = 0o020000, S_IFIFO = 0o010000;
export const S_ISUID = 0o4000, S_ISGID = 0o2000, S_ISVTX = 0o1000;

export const AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, AT_EACCESS = 0x200;
export const AT_REMOVEDIR = 0x200, AT_SYMLINK_FOLLOW = 0x400, AT_EMPTY_PATH = 0x1000;
export const RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2;
export const F_OK = 0, X_OK = 1, W_OK = 2, R_OK = 4;
export const UTIME_NOW = 0x3fffffff, UTIME_OMIT = 0x3ffffffe;

export const NAME_MAX = 255, PATH_MAX = 4096, IOV_MAX = 1024, PIPE_BUF = 4096;
export const SYMLINKS_MAX = 40;

export const SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGPIPE = 13, SIGCONT = 18, SIGTSTP = 20;
export const SIGTTIN = 21, SIGTTOU = 22, SIGWINCH = 28;

export const FIONREAD = 0x541b, FIONBIO = 0x5421, FIONCLEX = 0x5450, FIOCLEX = 0x5451;
export const TCGETS = 0x5401, TCSETS = 0x5402, TCSETSW = 0x5403, TCSETSF = 0x5404;
export const TCSBRK = 0x5409, TCXONC = 0x540a, TCFLSH = 0x540b, TIOCSCTTY = 0x540e;
export const TIOCGPGRP = 0x540f, TIOCSPGRP = 0x5410, TIOCOUTQ = 0x5411, TIOCSTI = 0x5412;
export const TIOCGWINSZ = 0x5413, TIOCSWINSZ = 0x5414, TIOCNOTTY = 0x5422, TIOCGSID = 0x5429;

export const SHUT_RD = 0, SHUT_WR = 1, SHUT_RDWR = 2;
