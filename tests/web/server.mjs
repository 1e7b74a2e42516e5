// server.mjs - a server of files for tests: on loopback, at a port that the system chooses. It
// ends by itself with its test, since it is no process of its own.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, resolve, sep } from 'node:path';
import { withWatch } from './driver/watch.mjs';

const kinds = {
  '.html': 'text/html; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json', '.map': 'application/json', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.ico': 'image/x-icon', '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml', '.webmanifest': 'application/manifest+json',
};

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The file of a path in the folder, or null. */
function find(folder, url) {
  try {
    const path = decodeURIComponent(new URL(url, 'http://host').pathname);
    const file = resolve(folder, `.${path}`);
    if (file !== folder && !file.startsWith(folder + sep) || path.includes('\0'))
      return null;
    const stat = statSync(file);
    if (!stat.isDirectory())
      return stat.isFile() ? { file, stat } : null;
    const index = resolve(file, 'index.html');
    return path.endsWith('/') ? { file: index, stat: statSync(index) } : null;
  } catch {
    return null;
  }
}

/**
 * The bytes of a Range header: [first, last], null for all, undefined where there are none of them.
 * @param {string | undefined} header
 * @param {number} size
 */
export function range(header, size) {
  const match = header?.match(/^bytes=(\d*)-(\d*)$/);
  if (!match || match[1] === '' && match[2] === '')
    return null; // none, or of a form that a server may ignore
  const [first, last] = match[1] === '' ? [Math.max(0, size - Number(match[2])), size - 1]
    : [Number(match[1]), match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)];
  if (match[1] !== '' && match[2] !== '' && Number(match[2]) < first)
    return null;
  return first < size && first <= last ? [first, last] : undefined;
}

function answer(request, response, folder, { headers, watched }) {
  const found = find(folder, request.url);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return response.writeHead(405, { ...headers, Allow: 'GET, HEAD' }).end();
  if (!found)
    return response.writeHead(404, { ...headers, 'Content-Type': 'text/plain' }).end('not found\n');
  const { file, stat: { size, mtimeMs } } = found;
  if (watched && extname(file) === '.html')
    return response.writeHead(200, { ...headers, 'Content-Type': kinds['.html'] })
      .end(withWatch(readFileSync(file, 'utf8')));
  const all = { ...headers, 'Accept-Ranges': 'bytes', 'Cache-Control': 'no-cache',
    'Content-Type': kinds[extname(file)] ?? 'application/octet-stream',
    ETag: `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"` };
  const part = range(request.headers.range, size);
  if (part === undefined)
    return response.writeHead(416, { ...headers, 'Content-Range': `bytes */${size}` }).end();
  const [first, last] = part ?? [0, size - 1];
  all['Content-Length'] = last - first + 1;
  if (part)
    all['Content-Range'] = `bytes ${first}-${last}/${size}`;
  response.writeHead(part ? 206 : 200, all);
  if (request.method === 'HEAD' || size === 0)
    return response.end();
  createReadStream(file, { start: first, end: last }).on('error', () => response.destroy())
    .pipe(response);
}

/**
 * Serves a folder: paths, HEAD, and ranges of one part.
 * @param {string} folder
 * @param {object} [how]
 * @param {boolean} [how.isolated] pages may have shared memory (COOP and COEP)
 * @param {(request: import('node:http').IncomingMessage,
 *   response: import('node:http').ServerResponse) => boolean} [how.first] looks at each request
 *   before, and returns true if it answers
 * @param {Record<string, string>} [how.headers] of every answer
 * @param {boolean} [how.watched] pages say what is thrown on them: see driver/watch.mjs
 * @returns {Promise<{ url: string, requests: string[], close: () => Promise<void> }>}
 *   `url` ends without a slash; `requests` are the paths that were asked for
 */
export async function serve(folder, how = {}) {
  const { isolated = false, first = () => false, watched = false } = how;
  const root = resolve(folder);
  const headers = { ...isolated ? isolation : {}, ...how.headers };
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    if (!first(request, response))
      answer(request, response, root, { headers, watched });
  });
  await new Promise((ready, failed) => server.once('error', failed).listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}
