// targets.mjs - where a WebSocket to co4-proxy leads: paths of addresses, and texts for people.
import { formatAddress, hostBytes } from './addresses.mjs';
import { AF_INET, AF_UNIX } from './socket_numbers.mjs';

/**
 * What a page may choose a proxy by: `kind` is 'tcp', 'unix' or 'names'; `name` is the name of the
 * host, if it was looked up.
 * @typedef {{ kind: string, host?: string, port?: number, path?: string, name?: string }} Target
 */

/**
 * @param {import('./addresses.mjs').Address} address
 * @returns {Target | null}
 */
export function targetOf({ family, host = '', port = 0, scope, path = '' }) {
  if (family === AF_UNIX)
    return path.startsWith('/') ? { kind: 'unix', path } : null;
  const bytes = hostBytes(host);
  if (!bytes || bytes.length !== (family === AF_INET ? 4 : 16))
    return null;
  // The wildcard is this machine, for a connect.
  const isAny = bytes.every((byte) => byte === 0);
  const here = family === AF_INET ? '127.0.0.1' : '::1';
  const text = isAny ? here : formatAddress(bytes);
  return { kind: 'tcp', host: scope ? `${text}%${scope}` : text, port };
}

/**
 * The path of the address of a WebSocket.
 * @param {Target} target
 */
export function pathOf({ kind, host = '', port = 0, path = '' }) {
  if (kind === 'unix')
    return `/unix${path.split('/').map(encodeURIComponent).join('/')}`;
  return `/${kind}/${encodeURIComponent(host)}${kind === 'tcp' ? `/${port}` : ''}`;
}

/**
 * The target as --allow takes it.
 * @param {Target} target
 */
export function textOf({ kind, host = '', port, path = '', name }) {
  if (kind === 'unix')
    return `unix:${path}`;
  const shown = name ?? (host.includes(':') ? `[${host}]` : host);
  return `${shown}:${port ?? 'PORT'}`;
}

