// opfs.test.mjs - files in the browser's private file system: what a killed page leaves, a full
// disk, closed handles, two tabs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import * as E from '../../../web/kernel/errno.mjs';
import { OpfsFileSystem } from '../../../web/kernel/opfs.mjs';
import { Kernel } from '../../../web/kernel/process.mjs';
import { bytes, Random, settled, text } from './common.mjs';
import { FakeDisk } from './fake_opfs.mjs';

const AT = C.AT_FDCWD;

async function mounted(disk) {
  const fs = await OpfsFileSystem.open(disk), kernel = new Kernel(), program = kernel.start();
  kernel.files.mount('/o', fs);
  return { fs, files: kernel.files, program, table: program.table };
}

// All that is in a tree: modes, targets, numbers of links, content.
async function picture(files, path = '/o') {
  const found = [];
  for (const name of (await files.list(path)).sort()) {
    const full = `${path}/${name}`, stat = await files.stat(null, files.root, full, false);
    const kind = stat.mode & C.S_IFMT;
    found.push([full, stat.mode, stat.nlink, kind === C.S_IFDIR ? 0 : stat.size, kind === C.S_IFREG ? text(await files.read(full)) :
      kind === C.S_IFLNK ? files.readlink(null, files.root, full) : '']);
    if (kind === C.S_IFDIR)
      found.push(...await picture(files, full));
  }
  return found;
}

test('all that Linux has comes back', async () => {
  const disk = new FakeDisk(), { fs, files, program } = await mounted(disk);
  await files.write('/o/d/ü \n"', 'content');
  await files.write('/o/big', 'x'.repeat(100000));
  program.linkat(AT, '/o/big', AT, '/o/d/second');
  program.symlinkat('../big', AT, '/o/d/link');
  program.fchmodat(AT, '/o/big', 0o4751);
  program.utimensat(AT, '/o/big', { seconds: 5, nanoseconds: 7 });
  program.renameat2(AT, '/o/d', AT, '/o/e');
  await files.write('/o/gone', 'x');
  files.remove('/o/gone');
  const before = await picture(files);
  assert.equal(before.length, 5);
  fs.close();
  const again = await mounted(disk);
  assert.deepEqual(await picture(again.files), before);
  assert.equal(again.program.stat('/o/big').mtime, 5000000007n);
  await again.files.write('/o/new', 'n');
  assert.equal(text(await again.files.read('/o/e/ü \n"')), 'content');
  assert.ok(again.program.stat('/o/new').ino > again.program.stat('/o/big').ino);
});

test('a page that is killed after any call has lost nothing of it', async () => {
  let renewed = 0;
  for (let seed = 0; seed < 12; seed++) {
    const random = new Random(seed), disk = new FakeDisk();
    const { files, program, table, fs } = await mounted(disk);
    fs.limit = 4000; // a new journal in the middle
    const name = () => `/o/${Array.from({ length: 1 + random.below(2) }, () =>
      random.pick(['a', 'b', 'c'])).join('/')}`;
    for (let i = 0; i < 60; i++) {
      const path = name(), other = name(), content = 'y'.repeat(random.below(500));
      await random.pick([
        async () => {
          const fd = await program.open(path, C.O_RDWR | C.O_CREAT);
          if (fd >= 0)
            await table.pwrite(fd, bytes(content), random.below(50));
          if (random.below(2))
            await table.close(fd);
        },
        () => program.mkdirat(AT, path), () => program.unlinkat(AT, path),
        () => program.renameat2(AT, path, AT, other), () => program.linkat(AT, path, AT, other),
        () => program.symlinkat('a/b', AT, path), () => program.truncate(path, random.below(90)),
        () => program.unlinkat(AT, path, C.AT_REMOVEDIR), () => table.closeAll(),
      ])();
      const later = await mounted(disk.copy());
      assert.deepEqual(await picture(later.files), await picture(files), `seed ${seed}, ${i}`);
    }
    renewed += fs.generation - 1;
  }
  assert.ok(renewed > 3);
});

test('a journal that was cut anywhere has all of its whole lines', async () => {
  const disk = new FakeDisk(), { program } = await mounted(disk), sizes = [];
  const journal = () => disk.files.get('journal-1').bytes.length ? 'journal-1' : 'journal-0';
  for (let i = 0; i < 8; i++) {
    sizes.push(disk.files.get(journal()).bytes.length);
    program.mkdirat(AT, `/o/${i}`);
  }
  const end = disk.files.get(journal()).bytes.length;
  for (let size = sizes[0]; size <= end; size++) {
    const cut = disk.copy(), file = cut.files.get(journal());
    file.bytes = file.bytes.slice(0, size);
    const whole = [...sizes.slice(1), end].filter((one) => one <= size).length;
    const { files } = await mounted(cut);
    assert.equal(files.list('/o').length, whole);
  }
});

test('two tabs: the second is refused, until the first ends', async () => {
  const disk = new FakeDisk(), { fs } = await mounted(disk);
  await assert.rejects(OpfsFileSystem.open(disk), { code: 'EBUSY' });
  fs.close();
  disk.files.get('journal-1').isLocked = true;
  await assert.rejects(OpfsFileSystem.open(disk), { code: 'EBUSY' });
  assert.equal(disk.files.get('journal-0').isLocked, false); // nothing stays open
  disk.files.get('journal-1').isLocked = false;
  await mounted(disk);
});

test('a line whose bytes are wrong ends the journal', async () => {
  const disk = new FakeDisk(), { program, fs } = await mounted(disk);
  program.mkdirat(AT, '/o/first');
  const at = fs.end;
  program.mkdirat(AT, '/o/second');
  program.mkdirat(AT, '/o/third');
  const journal = disk.files.get(`journal-${fs.active}`);
  for (let i = at; i < at + 60; i++) {
    const copy = disk.copy(), { bytes: wrong } = copy.files.get(`journal-${fs.active}`);
    wrong[i] ^= 1;
    const later = await mounted(copy);
    assert.deepEqual(later.files.list('/o'), ['first'], String(i));
  }
  assert.ok(journal.bytes.length > at + 60);
});

test('numbers of files are not used twice', async () => {
  const disk = new FakeDisk(), { files, fs } = await mounted(disk);
  for (const name of ['a', 'b', 'c', 'kept'])
    await files.write(`/o/${name}`, name);
  for (const name of ['a', 'b', 'c'])
    files.remove(`/o/${name}`);
  fs.close();
  const later = await mounted(disk);
  for (const name of ['d', 'e', 'f', 'g'])
    await later.files.write(`/o/${name}`, name);
  for (const name of ['kept', 'd', 'e', 'f', 'g'])
    assert.equal(text(await later.files.read(`/o/${name}`)), name);
});

test('fsync flushes the file and the journal', async () => {
  const disk = new FakeDisk(), { program, table } = await mounted(disk);
  const fd = await program.creat('/o/f', 0o600);
  table.write(fd, bytes('x'));
  const before = disk.flushes;
  assert.equal(await table.fsync(fd), 0);
  assert.equal(disk.flushes, before + 2);
});

test('a full disk is ENOSPC, and what could not be noted is reported by fsync', async () => {
  const disk = new FakeDisk(), { program, table, files } = await mounted(disk);
  const fd = await program.creat('/o/f', 0o600);
  table.write(fd, bytes('start'));
  disk.quota = disk.size + 10;
  assert.equal(table.write(fd, new Uint8Array(1000)), -E.ENOSPC);
  program.mkdirat(AT, '/o/unnoted');
  assert.equal(table.fsync(fd), -E.ENOSPC);
  disk.quota = Infinity;
  assert.equal(table.fsync(fd), 0); // with a journal that is new
  const later = await mounted(disk.copy());
  assert.deepEqual(await picture(later.files), await picture(files));
  assert.deepEqual(later.files.list('/o').sort(), ['f', 'unnoted']);
});

test('handles that the browser closed are EIO', async () => {
  const disk = new FakeDisk(), { program, table } = await mounted(disk);
  const fd = await program.open('/o/f', C.O_RDWR | C.O_CREAT);
  table.write(fd, bytes('x'));
  disk.areHandlesClosed = true;
  assert.equal(table.pread(fd, new Uint8Array(1), 0), -E.EIO);
  assert.equal(table.write(fd, bytes('x')), -E.EIO);
  assert.equal(table.ftruncate(fd, 0), -E.EIO);
  assert.equal(table.fsync(fd), -E.EIO);
});

test('files without a name end with their users, or at the next mount', async () => {
  const disk = new FakeDisk(), { fs, program, table } = await mounted(disk);
  const fd = await program.open('/o/f', C.O_RDWR | C.O_CREAT);
  table.write(fd, bytes('x'));
  program.unlinkat(AT, '/o/f');
  fs.compact(); // the journal does not know it any more
  const killed = disk.copy();
  assert.equal(killed.files.size, 3);
  await mounted(killed);
  assert.equal(killed.files.size, 2);
  const buffer = new Uint8Array(1);
  assert.equal(table.pread(fd, buffer, 0), 1);
  table.close(fd);
  await settled();
  assert.equal(disk.files.size, 2);
});

test('a page that is killed while a journal is written anew', async () => {
  const disk = new FakeDisk(), { fs, files, program } = await mounted(disk), copies = [];
  for (let round = 0; round < 2; round++) {
    await files.write(`/o/d${round}/f`, 'x');
    program.symlinkat('f', AT, `/o/d${round}/l`);
    const before = await picture(files);
    disk.onchange = () => copies.push(disk.copy());
    assert.equal(fs.compact(), true);
    disk.onchange = () => {};
    assert.ok(copies.length >= 3);
    for (const copy of copies.splice(0))
      assert.deepEqual(await picture((await mounted(copy)).files), before);
  }
});
