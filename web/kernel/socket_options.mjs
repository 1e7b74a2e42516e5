// socket_options.mjs - the options that sockets keep: their first values, and what may be set.
//
// Few of them change anything here: the connection to the server is the proxy's. Programs set them
// all the same, and read them back. One that is not in the table is refused, as an old Linux does.
import { EINVAL, ENOPROTOOPT } from './errno.mjs';
import {
  IPPROTO_IP, IPPROTO_IPV6, IPPROTO_TCP, IPV6_TCLASS, IPV6_UNICAST_HOPS, IPV6_V6ONLY,
  IP_BIND_ADDRESS_NO_PORT, IP_TOS, IP_TTL, SOL_SOCKET, SO_KEEPALIVE, SO_OOBINLINE, SO_PRIORITY,
  SO_RCVBUF, SO_RCVLOWAT, SO_REUSEADDR, SO_REUSEPORT, SO_SNDBUF, SO_SNDLOWAT, TCP_CORK,
  TCP_KEEPCNT, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_LINGER2, TCP_NODELAY, TCP_QUICKACK, TCP_SYNCNT,
  TCP_USER_TIMEOUT,
} from './socket_numbers.mjs';

/** Bytes of input and of output, unless they are set. */
export const BUFFER = 256 << 10;

/**
 * @typedef {object} Option
 * @property {number} first
 * @property {(value: number) => number} set the value that is kept; negative: an error
 */

const flag = (first) => ({ first, set: (value) => (value ? 1 : 0) });
const any = (first) => ({ first, set: (value) => value });
const positive = (first) => ({ first, set: (value) => (value >= 1 ? value : -EINVAL) });
const natural = (first) => ({ first, set: (value) => (value >= 0 ? value : -EINVAL) });
const fixed = (first) => ({ first, set: () => -ENOPROTOOPT });
// Linux keeps twice the number, and no less than some.
const size = (first) => ({
  first, set: (value) => Math.max(4096, 2 * Math.min(Math.max(value, 0), 4 << 20)),
});

/** By level and name. @type {Map<number, Map<number, Option>>} */
export const OPTIONS = new Map([
  [SOL_SOCKET, new Map([
    [SO_REUSEADDR, flag(0)], [SO_REUSEPORT, flag(0)], [SO_KEEPALIVE, flag(0)],
    [SO_OOBINLINE, flag(0)], [SO_PRIORITY, natural(0)], [SO_SNDBUF, size(BUFFER)],
    [SO_RCVBUF, size(BUFFER)], [SO_RCVLOWAT, fixed(1)], [SO_SNDLOWAT, fixed(1)],
  ])],
  [IPPROTO_TCP, new Map([
    [TCP_NODELAY, flag(0)], [TCP_CORK, flag(0)], [TCP_KEEPIDLE, positive(7200)],
    [TCP_KEEPINTVL, positive(75)], [TCP_KEEPCNT, positive(9)], [TCP_SYNCNT, positive(6)],
    [TCP_LINGER2, any(60)], [TCP_QUICKACK, flag(1)], [TCP_USER_TIMEOUT, natural(0)],
  ])],
  [IPPROTO_IP, new Map([
    [IP_TOS, natural(0)], [IP_TTL, positive(64)], [IP_BIND_ADDRESS_NO_PORT, flag(0)],
  ])],
  [IPPROTO_IPV6, new Map([
    [IPV6_V6ONLY, flag(0)], [IPV6_TCLASS, any(0)], [IPV6_UNICAST_HOPS, any(64)],
  ])],
]);
