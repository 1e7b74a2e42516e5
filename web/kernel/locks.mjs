// locks.mjs - locks of files: whole files by descriptions (flock), ranges by programs (fcntl).
//
// The two kinds do not see each other, as on Linux. Of one owner, ranges are disjoint and in order,
// so an owner costs a binary search; a lock looks at each other owner. A lock that is refused
// returns -EAGAIN, and watchLock() calls back when locks of the file were given up. There is no
// search for deadlocks: two programs that wait for each other wait.
import { EAGAIN, EINVAL } from './errno.mjs';
import { F_RDLCK, F_UNLCK, F_WRLCK, LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN } from './constants.mjs';
import { callSafely } from './waiters.mjs';

/** @typedef {{ start: number, end: number, type: number }} Range the byte at `end` is outside */

class FileLocks {
  constructor() {
    /** @type {Map<object, number>} flock() */
    this.whole = new Map();
    /** @type {Map<any, Range[]>} fcntl() */
    this.ranges = new Map();
    /** @type {Set<() => void>} */
    this.waiters = new Set();
    this.isScheduled = false;
  }

  released() {
    if (this.isScheduled || this.waiters.size === 0)
      return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      const waiters = [...this.waiters];
      for (const callback of waiters) {
        if (this.waiters.delete(callback))
          callSafely(callback);
      }
    });
  }
}

/** @type {WeakMap<object, FileLocks>} */
const all = new WeakMap();

function locksOf(inode) {
  const locks = all.get(inode) ?? new FileLocks();
  all.set(inode, locks);
  return locks;
}

/**
 * Calls back once, when a lock of the file has been given up since.
 * @param {object} inode
 * @param {() => void} callback
 * @returns {() => void} cancels it
 */
export function watchLock(inode, callback) {
  const { waiters } = locksOf(inode), once = () => callback();
  waiters.add(once);
  return () => waiters.delete(once);
}

/**
 * A lock of the whole file.
 * @param {object} inode
 * @param {object} owner the open file description
 * @param {number} operation LOCK_SH, LOCK_EX or LOCK_UN; with LOCK_NB or not, it does not wait
 * @returns {number}
 */
export function lockWhole(inode, owner, operation) {
  const locks = locksOf(inode), wanted = operation & ~LOCK_NB;
  if (wanted !== LOCK_SH && wanted !== LOCK_EX && wanted !== LOCK_UN)
    return -EINVAL;
  const had = locks.whole.get(owner);
  if (wanted === had)
    return 0;
  // Linux gives up the old lock before it asks for the other.
  if (locks.whole.delete(owner))
    locks.released();
  if (wanted === LOCK_UN)
    return 0;
  const isFree = locks.whole.size === 0 ||
    (wanted === LOCK_SH && locks.whole.values().next().value === LOCK_SH);
  if (!isFree)
    return -EAGAIN;
  locks.whole.set(owner, wanted);
  return 0;
}

// The first range of a list that ends behind `start`.
function firstBehind(ranges, start) {
  let low = 0, high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle].end <= start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

function findConflict(locks, owner, { start, end, type }) {
  for (const [other, ranges] of locks.ranges) {
    if (other === owner)
      continue;
    for (let i = firstBehind(ranges, start); i < ranges.length && ranges[i].start < end; i++) {
      if (type === F_WRLCK || ranges[i].type === F_WRLCK)
        return { owner: other, ...ranges[i] };
    }
  }
  return null;
}

/**
 * The lock that would refuse this one, or null.
 * @param {object} inode
 * @param {object} owner
 * @param {Range} range
 */
export function findLock(inode, owner, range) {
  return findConflict(locksOf(inode), owner, range);
}

/**
 * Sets, changes or (F_UNLCK) gives up a range.
 * @param {object} inode
 * @param {object} owner the program
 * @param {Range} range
 * @returns {number}
 */
export function lockRange(inode, owner, range) {
  const { start, end, type } = range, locks = locksOf(inode);
  if (![F_RDLCK, F_WRLCK, F_UNLCK].includes(type))
    return -EINVAL;
  if (type !== F_UNLCK && findConflict(locks, owner, range))
    return -EAGAIN;
  const ranges = locks.ranges.get(owner) ?? [];
  // Neighbours of the same type become one with it.
  const isNear = (one) => one && one.type === type && one.start <= end && one.end >= start;
  let from = firstBehind(ranges, start), to = from;
  from -= isNear(ranges[from - 1]) ? 1 : 0;
  while (to < ranges.length && (ranges[to].start < end || isNear(ranges[to])))
    to++;
  const whole = { start, end, type }, cut = [];
  for (const one of ranges.slice(from, to)) {
    if (isNear(one)) {
      whole.start = Math.min(whole.start, one.start);
      whole.end = Math.max(whole.end, one.end);
      continue;
    }
    if (one.start < start)
      cut.push({ ...one, end: start });
    if (one.end > end)
      cut.push({ ...one, start: end });
  }
  const added = type === F_UNLCK ? cut : [...cut, whole].sort((a, b) => a.start - b.start);
  ranges.splice(from, to - from, ...added);
  if (ranges.length)
    locks.ranges.set(owner, ranges);
  else
    locks.ranges.delete(owner);
  if (type !== F_WRLCK)
    locks.released();
  return 0;
}

/**
 * Gives up all locks of an owner: a description that ends, or a program that closes the file.
 * @param {object} inode
 * @param {object} owner
 */
export function dropLocks(inode, owner) {
  const locks = all.get(inode);
  if (!locks)
    return;
  const had = locks.whole.delete(owner);
  if (locks.ranges.delete(owner) || had)
    locks.released();
}
