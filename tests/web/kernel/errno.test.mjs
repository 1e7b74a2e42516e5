// errno.test.mjs - numbers, names and texts of errors are those of Linux.
import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import * as all from '../../../web/kernel/errno.mjs';

test('numbers are those of this system', { skip: process.platform !== 'linux' }, () => {
  const here = os.constants.errno;
  assert.ok(Object.keys(here).length > 70);
  for (const [name, number] of Object.entries(here)) {
    assert.equal(all.errno[name] ?? all[name], number, name);
    assert.equal(all[name], number, name);
  }
});

test('names and texts, of either sign', () => {
  assert.equal(all.errorName(2), 'ENOENT');
  assert.equal(all.errorName(-11), 'EAGAIN');
  assert.equal(all.errorName(4000), 'E4000');
  assert.equal(all.errorText(-39), 'Directory not empty');
  assert.equal(all.errorText(0), 'Success');
  assert.equal(all.errorText(-4000), 'Unknown error 4000');
  for (const [name, number] of Object.entries(all.errno)) {
    assert.equal(all.errorName(number), name);
    assert.ok(all.errorText(number).length > 5);
  }
});
