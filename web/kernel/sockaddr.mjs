// sockaddr.mjs - addresses of sockets as C has them: struct sockaddr_in, _in6 and _un of Linux.
//
// The family is the first word, in the processor's order, which is little-endian in WebAssembly;
// ports and hosts are in that of the network.
import { AF_INET, AF_INET6, AF_UNIX, AF_UNSPEC } from './socket_numbers.mjs';
import { formatAddress, hostBytes } from './addresses.mjs';

/** @typedef {import('./addresses.mjs').Address} Address */

const SIZES = { [AF_UNSPEC]: 2, [AF_INET]: 16, [AF_INET6]: 24 };
const PATH_AT = 2;

function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * @param {Uint8Array} bytes as long as the caller says
 * @returns {Address | null} null: too short for its family
 */
export function addressOf(bytes) {
  if (bytes.length < 2)
    return null;
  const view = viewOf(bytes), family = view.getUint16(0, true);
  if (bytes.length < (SIZES[family] ?? 2))
    return null;
  if (family === AF_INET)
    return { family, port: view.getUint16(2), host: formatAddress(bytes.slice(4, 8)) };
  if (family === AF_INET6) {
    const scope = bytes.length >= 28 ? view.getUint32(24, true) : 0;
    return { family, port: view.getUint16(2), host: formatAddress(bytes.slice(8, 24)),
      ...(scope ? { scope } : {}) };
  }
  if (family !== AF_UNIX)
    return { family };
  const path = bytes.slice(PATH_AT), end = path[0] === 0 ? -1 : path.indexOf(0);
  return { family, path: new TextDecoder().decode(end < 0 ? path : path.subarray(0, end)) };
}

/**
 * @param {Address} address
 * @returns {Uint8Array}
 */
export function bytesOfAddress({ family, host = '', port = 0, scope = 0, path = '' }) {
  const text = new TextEncoder().encode(path);
  const size = family === AF_INET ? 16 : family === AF_INET6 ? 28 :
    text.length > 0 ? PATH_AT + text.length + 1 : PATH_AT;
  const bytes = new Uint8Array(size), view = viewOf(bytes);
  view.setUint16(0, family, true);
  if (family === AF_UNIX) {
    bytes.set(text, PATH_AT);
    return bytes;
  }
  view.setUint16(2, port);
  bytes.set(hostBytes(host) ?? [], family === AF_INET ? 4 : 8);
  if (family === AF_INET6)
    view.setUint32(24, scope, true);
  return bytes;
}
