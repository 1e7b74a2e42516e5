// numbers.mjs - the lowest free number, without a search through those in use.
//
// A tree of words with 32 bits each: a bit of the lowest level is a number in use, a bit of the
// level above is a word that is full. So a number is found in as many steps as the tree has levels.

const isFull = (word) => word === 0xffffffff;

export class FreeNumbers {
  constructor() {
    /** @type {Uint32Array[]} */
    this.levels = [new Uint32Array(1)];
  }

  /**
   * The lowest free number that is not below `least`. It stays free.
   * @param {number} least
   * @returns {number}
   */
  lowest(least) {
    let from = least;
    for (let level = 0; level < this.levels.length; level++) {
      const found = this.scan(level, from);
      if (found >= 0)
        return this.descend(level, found);
      from = Math.floor(from / 32) + 1;
    }
    return 32 ** this.levels.length;
  }

  // The first clear bit from `from` on in the word that has it, or -1. Words that are not there
  // are clear.
  scan(level, from) {
    const words = this.levels[level], at = Math.floor(from / 32);
    if (at >= words.length)
      return from;
    const clear = ~words[at] & (0xffffffff << from % 32);
    return clear === 0 ? -1 : at * 32 + 31 - Math.clz32(clear & -clear);
  }

  descend(level, bit) {
    for (; level > 0; level--)
      bit = this.scan(level - 1, bit * 32);
    return bit;
  }

  // Makes room for `number`: each level has a bit for each word of the level below.
  grow(number) {
    for (let level = 0, bits = number + 1; ; level++) {
      const words = Math.max(1, Math.ceil(bits / 32));
      if (level === this.levels.length)
        this.addLevel(level);
      if (this.levels[level].length < words) {
        const longer = new Uint32Array(Math.max(words, 2 * this.levels[level].length));
        longer.set(this.levels[level]);
        this.levels[level] = longer;
      }
      bits = this.levels[level].length;
      if (bits === 1)
        break;
    }
  }

  addLevel(level) {
    const below = this.levels[level - 1], words = new Uint32Array(Math.ceil(below.length / 32));
    below.forEach((word, i) => {
      if (isFull(word))
        words[i >> 5] |= 1 << (i & 31);
    });
    this.levels.push(words);
  }

  /** @param {number} number now in use */
  take(number) {
    this.grow(number);
    for (const words of this.levels) {
      const at = Math.floor(number / 32);
      words[at] |= 1 << number % 32;
      if (!isFull(words[at]))
        break;
      number = at;
    }
  }

  /** @param {number} number free again */
  give(number) {
    for (const words of this.levels) {
      const at = Math.floor(number / 32), wasFull = isFull(words[at]);
      words[at] &= ~(1 << number % 32);
      if (!wasFull)
        break;
      number = at;
    }
  }
}
