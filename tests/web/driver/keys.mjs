// keys.mjs - what a user types, as the key actions of WebDriver.
//
// A text may have control characters, as a terminal gets them: \n is the Enter key, \x03 is Ctrl-C.

const named = {
  Cancel: '\uE001', Backspace: '\uE003', Tab: '\uE004', Return: '\uE006', Enter: '\uE007',
  Shift: '\uE008', Ctrl: '\uE009', Control: '\uE009', Alt: '\uE00A', Escape: '\uE00C',
  Space: ' ', PageUp: '\uE00E', PageDown: '\uE00F', End: '\uE010', Home: '\uE011',
  ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015',
  Insert: '\uE016', Delete: '\uE017', Meta: '\uE03D',
};
for (let i = 1; i <= 12; i++)
  named[`F${i}`] = String.fromCharCode(0xE030 + i);

const controls = {
  '\n': 'Enter', '\r': 'Enter', '\t': 'Tab', '\b': 'Backspace', '\x7f': 'Backspace',
  '\x1b': 'Escape',
};

const down = (value) => ({ type: 'keyDown', value });
const up = (value) => ({ type: 'keyUp', value });

/**
 * The actions for a key with its modifiers: `Enter`, `Ctrl-C`, `Ctrl-Shift-Tab`, `Ctrl--`.
 * @param {string} chord
 */
export function pressed(chord) {
  const words = chord.match(/[^-]+(?=-.)|(?<=^|-)(?:[^-]+|-)$/g);
  const values = words?.map((word) => named[word] ?? word);
  if (!values?.length || values.some((value) => [...value].length !== 1))
    throw new Error(`no such key: ${chord}`);
  // A key below Ctrl is the one of the small letter.
  if (values.length > 1 && !words.includes('Shift'))
    values.push(values.pop().toLowerCase());
  return [...values.map(down), ...values.reverse().map(up)];
}

/**
 * The actions for a text, character by character.
 * @param {string} text
 */
export function typed(text) {
  return [...text].flatMap((one) => {
    if (controls[one])
      return pressed(controls[one]);
    if (one < '\x1b')
      return pressed(`Ctrl-${String.fromCharCode(one.charCodeAt(0) + 64)}`);
    return [down(one), up(one)];
  });
}
