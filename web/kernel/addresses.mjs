// addresses.mjs - numeric addresses: their texts, and their bytes for a sockaddr.
//
// An address of a socket is an object: { family: AF_INET, host: '127.0.0.1', port: 80 }, with a
// `scope` for link-local addresses of IPv6; or { family: AF_UNIX, path }. `host` is always in its
// one normal form, so that equal addresses have equal texts.
import { AF_INET, AF_INET6 } from './socket_numbers.mjs';

/**
 * @typedef {{
 *   family: number, host?: string, port?: number, scope?: number, path?: string
 * }} Address
 */

const NUMBER = /^(0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)$/i;

function numberOf(part) {
  if (!NUMBER.test(part))
    return NaN;
  const isOctal = part.length > 1 && part[0] === '0' && !/^0x/i.test(part);
  return isOctal ? parseInt(part, 8) : Number(part);
}

/**
 * IPv4 as inet_aton() reads it: one to four numbers, decimal, octal or hexadecimal.
 * @param {string} text
 * @returns {Uint8Array | null} 4 bytes
 */
export function parseIPv4(text) {
  const parts = text.split('.').map(numberOf);
  const last = parts.pop();
  const most = 256 ** (4 - parts.length);
  if (parts.length > 3 || !parts.every((n) => n <= 255) || !(/** @type {number} */ (last) < most))
    return null;
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, /** @type {number} */ (last));
  bytes.set(parts);
  return bytes;
}

// The groups of one side of '::', or null.
function groupsOf(text) {
  if (text === '')
    return [];
  const parts = text.split(':');
  const groups = parts.filter((part) => /^[0-9a-f]{1,4}$/i.test(part))
    .map((part) => parseInt(part, 16));
  return groups.length === parts.length ? groups : null;
}

// '::ffff:1.2.3.4' has its last two groups as IPv4, in four decimal numbers.
function withoutDots(text) {
  const dotted = /^(.*:)((?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2}))$/.exec(text);
  if (!dotted)
    return text;
  const bytes = dotted[2].split('.').map(Number);
  if (!bytes.every((n) => n <= 255))
    return null;
  const [a, b, c, d] = bytes;
  return `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/**
 * @param {string} text without a scope
 * @returns {Uint8Array | null} 16 bytes
 */
export function parseIPv6(text) {
  const plain = withoutDots(text);
  const sides = plain === null ? [] : plain.split('::');
  if (sides.length < 1 || sides.length > 2)
    return null;
  const [head, tail] = [groupsOf(sides[0]), groupsOf(sides[1] ?? '')];
  if (!head || !tail)
    return null;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1)
    return null;
  const bytes = new Uint8Array(16), view = new DataView(bytes.buffer);
  [...head, ...Array(missing).fill(0), ...tail].forEach((group, i) => view.setUint16(2 * i, group));
  return bytes;
}

/** Whether these are 16 bytes with an IPv4 address in their end, as '::ffff:1.2.3.4'. */
export function isMapped(bytes) {
  return bytes.length === 16 && bytes[10] === 255 && bytes[11] === 255 &&
    bytes.subarray(0, 10).every((byte) => byte === 0);
}

// Where the longest run of at least two zeros is.
function longestZeros(groups) {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (end < 8 && groups[end] === 0)
      end++;
    if (end - at > best.length)
      best = { at, length: end - at };
    at = Math.max(at, end - 1);
  }
  return best;
}

/**
 * The normal text of 4 or 16 bytes, as inet_ntop() writes it.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function formatAddress(bytes) {
  if (bytes.length === 4)
    return bytes.join('.');
  if (isMapped(bytes))
    return `::ffff:${bytes.subarray(12).join('.')}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const groups = Array.from({ length: 8 }, (_, i) => view.getUint16(2 * i));
  const texts = groups.map((group) => group.toString(16)), { at, length } = longestZeros(groups);
  if (at < 0)
    return texts.join(':');
  return `${texts.slice(0, at).join(':')}::${texts.slice(at + length).join(':')}`;
}

/**
 * Reads a numeric host of either family: '127.1', '::1', 'fe80::1%2'.
 * @param {string} text
 * @returns {{ family: number, host: string, scope?: number } | null}
 */
export function parseHost(text) {
  const four = parseIPv4(text);
  if (four)
    return { family: AF_INET, host: formatAddress(four) };
  const [bare, scope, ...more] = text.split('%');
  const six = parseIPv6(bare);
  if (!six || more.length > 0 || (scope !== undefined && !/^\d{1,9}$/.test(scope)))
    return null;
  const host = formatAddress(six);
  return scope ? { family: AF_INET6, host, scope: Number(scope) } : { family: AF_INET6, host };
}

/**
 * The bytes of a normal host, for a sockaddr.
 * @param {string} host
 * @returns {Uint8Array | null}
 */
export function hostBytes(host) {
  return host.includes(':') ? parseIPv6(host) : parseIPv4(host);
}

/**
 * An address as a socket of this family has it: of an IPv6 socket, IPv4 is mapped.
 * @param {Address} address
 * @param {number} family
 * @returns {Address}
 */
export function inFamily(address, family) {
  if (family !== AF_INET6 || address.family !== AF_INET)
    return address;
  return { ...address, family, host: `::ffff:${address.host}` };
}
