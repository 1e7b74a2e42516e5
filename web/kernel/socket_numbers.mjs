// socket_numbers.mjs - the numbers of Linux for sockets and names, as calls take and return them.
//
// They are those of x86-64 and of most other processors. A binding to another ABI maps them.

export const AF_UNSPEC = 0, AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10;
export const SOCK_STREAM = 1, SOCK_DGRAM = 2, SOCK_NONBLOCK = 0o4000, SOCK_CLOEXEC = 0o2000000;
export const IPPROTO_IP = 0, IPPROTO_TCP = 6, IPPROTO_UDP = 17, IPPROTO_IPV6 = 41;

export const MSG_OOB = 1, MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_DONTWAIT = 0x40, MSG_EOR = 0x80;
export const MSG_WAITALL = 0x100, MSG_NOSIGNAL = 0x4000, MSG_MORE = 0x8000;
export const MSG_CMSG_CLOEXEC = 0x40000000;

export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2, SO_TYPE = 3, SO_ERROR = 4, SO_BROADCAST = 6, SO_SNDBUF = 7;
export const SO_RCVBUF = 8, SO_KEEPALIVE = 9, SO_OOBINLINE = 10, SO_PRIORITY = 12, SO_LINGER = 13;
export const SO_REUSEPORT = 15, SO_RCVLOWAT = 18, SO_SNDLOWAT = 19, SO_RCVTIMEO = 20;
export const SO_SNDTIMEO = 21, SO_ACCEPTCONN = 30, SO_PROTOCOL = 38, SO_DOMAIN = 39;

export const TCP_NODELAY = 1, TCP_MAXSEG = 2, TCP_CORK = 3, TCP_KEEPIDLE = 4, TCP_KEEPINTVL = 5;
export const TCP_KEEPCNT = 6, TCP_SYNCNT = 7, TCP_LINGER2 = 8, TCP_INFO = 11, TCP_QUICKACK = 12;
export const TCP_USER_TIMEOUT = 18, TCP_FASTOPEN_CONNECT = 30;
export const IP_TOS = 1, IP_TTL = 2, IP_BIND_ADDRESS_NO_PORT = 24;
export const IPV6_UNICAST_HOPS = 16, IPV6_V6ONLY = 26, IPV6_TCLASS = 67;

export const SIOCATMARK = 0x8905;

export const AI_PASSIVE = 1, AI_CANONNAME = 2, AI_NUMERICHOST = 4, AI_V4MAPPED = 8, AI_ALL = 0x10;
export const AI_ADDRCONFIG = 0x20, AI_NUMERICSERV = 0x400;
export const NI_NUMERICHOST = 1, NI_NUMERICSERV = 2, NI_NAMEREQD = 8;

export const EAI_BADFLAGS = -1, EAI_NONAME = -2, EAI_AGAIN = -3, EAI_FAIL = -4, EAI_FAMILY = -6;
export const EAI_SOCKTYPE = -7, EAI_SERVICE = -8, EAI_MEMORY = -10;
