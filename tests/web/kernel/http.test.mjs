// http.test.mjs - files over HTTP ranges, from a server of the test that also misbehaves.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import * as E from '../../../web/kernel/errno.mjs';
import { HttpFileSystem } from '../../../web/kernel/http.mjs';
import { Kernel } from '../../../web/kernel/process.mjs';
import { Random } from './common.mjs';

const content = new Uint8Array(300001).map((_, i) => i * 7 + (i >> 8));
let server, base, requests = [], how = {};

// Answers as `how` says: whole, broken, another tag, hidden headers …
function answer(request, response) {
  requests.push(`${request.method} ${request.headers.range ?? ''}`.trim());
  const body = how.body ?? content, size = body.length;
  if (how.status)
    return response.writeHead(how.status).end('no');
  const headers = { ETag: how.tag ?? '"1"', 'Content-Length': size };
  const found = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  if (!found || how.isWhole)
    return response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
  const first = Number(found[1]), end = Math.min(Number(found[2]) + 1, size);
  if (first >= size)
    return response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end();
  if (!how.isHidden)
    headers['Content-Range'] = `bytes ${first + (how.shift ?? 0)}-${end - 1}/${size}`;
  const part = body.subarray(first, how.isShort ? end - 1 : end);
  headers['Content-Length'] = how.isCut ? part.length + 9 : part.length;
  response.writeHead(206, headers);
  return how.isCut ? response.write(part, () => response.destroy()) : response.end(part);
}

before(async () => {
  server = createServer(answer);
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  server.unref();
  base = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function started(options = { blockSize: 1000 }) {
  requests = [];
  how = {};
  const kernel = new Kernel(), program = kernel.start();
  kernel.files.mount('/net', new HttpFileSystem({ 'd/f': `${base}f` }, options));
  const open = () => program.open('/net/d/f', C.O_RDONLY);
  return { program, table: program.table, open };
}

async function same(table, fd, at, length) {
  const buffer = new Uint8Array(length), count = await table.pread(fd, buffer, at);
  assert.equal(count, Math.max(0, Math.min(length, content.length - at)));
  assert.ok(Buffer.from(buffer.subarray(0, count)).equals(content.subarray(at, at + count)));
}

test('any part of the file, and a second time without a request', async () => {
  const { program, table, open } = started(), random = new Random(1);
  assert.equal((await program.stat('/net/d/f')).size, 300001);
  const fd = await open();
  assert.deepEqual(requests, ['GET bytes=0-999']);
  for (let i = 0; i < 200; i++)
    await same(table, fd, random.below(301000), 1 + random.below(9000));
  await same(table, fd, 0, 400000);
  const { length } = requests;
  assert.equal(table.pread(fd, new Uint8Array(5000), 250), 5000); // no promise
  await same(table, fd, 0, 400000);
  assert.equal(requests.length, length);
  assert.equal(table.lseek(fd, -5, C.SEEK_END), 299996);
  assert.equal(table.read(fd, new Uint8Array(9)), 5);
  assert.equal(table.read(fd, new Uint8Array(9)), 0);
  assert.equal(await program.open('/net/d/f', C.O_RDWR), -E.EROFS);
  assert.equal(await program.creat('/net/g', 0o600), -E.EROFS);
  assert.deepEqual(program.files.list('/net/d'), ['f']);
});

test('reads at once are merged, and share what is on its way', async () => {
  const { table, open } = started(), fd = await open();
  requests = [];
  const ats = [50500, 52100, 51200, 90000, 51999, 90001];
  await Promise.all(ats.map((at) => same(table, fd, at, 10)));
  assert.deepEqual(requests.sort(), ['GET bytes=50000-52999', 'GET bytes=90000-90999']);
  const first = same(table, fd, 70000, 10);
  await null;
  await null;
  await Promise.all([first, same(table, fd, 70500, 10)]);
  assert.equal(requests.length, 3);
});

test('the cache has a bound, and a read may be larger', async () => {
  const { table, open } = started({ blockSize: 1000, blocksKept: 5 }), fd = await open();
  await same(table, fd, 0, 50000);
  assert.ok(table.fstat(fd).blocks * 512 <= 5120);
  requests = [];
  await same(table, fd, 45000, 5000);
  assert.deepEqual(requests, []);
  await same(table, fd, 0, 1);
  assert.equal(requests.length, 1);
  await same(table, fd, 46000, 1); // the oldest, used again
  await same(table, fd, 1000, 1);
  requests = [];
  await same(table, fd, 46000, 1);
  assert.deepEqual(requests, []);
});

test('a server without ranges is read once, up to a bound', async () => {
  const { table, open } = started({ blockSize: 1000, wholeMost: 300001 });
  how = { isWhole: true };
  const fd = await open();
  await same(table, fd, 1234, 100000);
  assert.equal(requests.length, 1);
  const other = started({ wholeMost: 300000 });
  how = { isWhole: true };
  assert.equal(await other.open(), -E.EFBIG);
});

test('an empty file, and one of another origin that hides its headers', async () => {
  const empty = started();
  how = { body: new Uint8Array(0) };
  const fd = await empty.open();
  assert.equal(empty.table.read(fd, new Uint8Array(5)), 0);
  const hidden = started();
  how = { isHidden: true };
  const other = await hidden.open();
  assert.deepEqual(requests, ['GET bytes=0-999', 'HEAD']);
  await same(hidden.table, other, 299000, 5000);
});

test('a file that changes is an error until it is opened anew', async () => {
  for (const change of [{ tag: '"2"' }, { body: content.subarray(0, 290000) },
    { body: content.subarray(0, 10) }]) {
    const { table, open } = started(), fd = await open(), buffer = new Uint8Array(10);
    await same(table, fd, 5000, 10);
    how = change;
    assert.equal(await table.pread(fd, buffer, 8000), -E.EIO);
    assert.equal(await table.pread(fd, buffer, 5000), -E.EIO); // though it was kept
    table.close(fd);
    how = {};
    await same(table, await open(), 5000, 10);
  }
});

test('a request that fails is EIO, and the next one may work', async () => {
  const { table, open } = started(), buffer = new Uint8Array(10);
  for (const [status, error] of [[404, E.ENOENT], [410, E.ENOENT], [403, E.EACCES],
    [401, E.EACCES], [500, E.EIO], [503, E.EIO]]) {
    how = { status };
    assert.equal(await open(), -error, String(status));
  }
  how = {};
  const fd = await open();
  for (const fault of [{ status: 500 }, { shift: 1 }, { isShort: true }, { isCut: true }]) {
    how = fault;
    assert.equal(await table.pread(fd, buffer, 9000), -E.EIO, JSON.stringify(fault));
    how = {};
  }
  await same(table, fd, 9000, 10);
});

test('offline', async () => {
  let isOffline = true;
  const fetch = (...args) => isOffline ? Promise.reject(new TypeError('offline')) :
    globalThis.fetch(...args);
  const { table, open } = started({ blockSize: 1000, fetch });
  assert.equal(await open(), -E.EIO);
  isOffline = false;
  const fd = await open();
  isOffline = true;
  assert.equal(await table.pread(fd, new Uint8Array(5), 7000), -E.EIO);
  await same(table, fd, 500, 100); // what was kept
  isOffline = false;
  await same(table, fd, 7000, 100);
});

test('paths that cannot be', () => {
  for (const files of [{ '': 'x' }, { '../a': 'x' }, { 'a/./b': 'x' }, { a: 'x', 'a/b': 'y' },
    { 'a/b': 'x', a: 'y' }, { a: 'x', '/a': 'y' }])
    assert.throws(() => new HttpFileSystem(files), RangeError, JSON.stringify(files));
});
