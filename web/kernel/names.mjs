// names.mjs - paths as text and as bytes.
//
// Linux takes any bytes but 0 and '/' for a name; here names are text. A byte that is no UTF-8
// becomes a code unit U+DC80 to U+DCFF, which no valid text has, and comes back as that byte.

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isPlain = (text) => !/[\ud800-\udfff]/.test(text);

// The length of the valid sequence at `at`, or 0.
function sequence(bytes, at) {
  const first = bytes[at];
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
    first < 0xf5 ? 4 : 0;
  try {
    return length && strict.decode(bytes.subarray(at, at + length)).length ? length : 0;
  } catch {
    return 0;
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function textOf(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    const parts = [];
    for (let at = 0; at < bytes.length;) {
      const length = sequence(bytes, at);
      parts.push(length ? strict.decode(bytes.subarray(at, at + length)) :
        String.fromCharCode(0xdc00 + bytes[at]));
      at += length || 1;
    }
    return parts.join('');
  }
}

/**
 * @param {string} text
 * @returns {Uint8Array}
 */
export function bytesOf(text) {
  if (isPlain(text))
    return encoder.encode(text);
  const parts = text.split(/([\udc80-\udcff](?<![\ud800-\udbff].))/s);
  const all = parts.map((part) => part.length === 1 && part >= '\udc80' && part <= '\udcff' ?
    new Uint8Array([part.charCodeAt(0) & 0xff]) : encoder.encode(part));
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  all.reduce((at, part) => {
    bytes.set(part, at);
    return at + part.length;
  }, 0);
  return bytes;
}

/**
 * The length in bytes, at least as far as `most` is exceeded.
 * @param {string} text
 * @param {number} most
 */
export function isLonger(text, most) {
  return text.length > most || (text.length * 3 > most && bytesOf(text).length > most);
}
