/**
 * Cleans text that people write for people: names, subjects, notes, and file names. All of it is cleaned before it is stored, so
 * that people see everything that is in it.
 */

/** Scripts that use joiners between letters, where removing them would change the word. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}]';
const PICTURE = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F]';
/** A tag character, and a flag of a part of a country, such as Scotland: a black flag, three to six of these, and the last tag. */
const TAG = '[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]';
const FLAG = '\\u{1F3F4}';
/**
 * Joiners inside an emoji sequence or a word of such a script, the signs for how an emoji or an ideograph is drawn (Unicode
 * Technical Standards 37 and 51), and the tags of a flag.
 */
const VISIBLE = [
  `(?<=${PICTURE})\\u200D(?=\\p{Extended_Pictographic})`,
  `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})`,
  '(?<=[\\p{Extended_Pictographic}0-9#*])[\\uFE0E\\uFE0F]',
  '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
  `(?<=${FLAG}(?=${TAG}{3,6}\\u{E007F})${TAG}*)(?:${TAG}|\\u{E007F})`,
].join('|');
/**
 * Characters that no one sees: zero-width and filler characters, and those that change the direction of the text after them,
 * which can make `fdp.exe` look like `exe.pdf`, or two names look like one (Unicode Technical Report 36, 2.5 and 3.1;
 * Default_Ignorable_Code_Point).
 */
const INVISIBLE = new RegExp(`(?!${VISIBLE})[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]`, 'gu');

/** Matches text that looks empty. Unicode does not count the Braille cell without dots as a space, but it looks like one. */
const ONLY_BLANK = /^[\s\u2800]*$/;

/**
 * Removes invisible characters (ACCOUNT-3) and normalizes to NFC, in which equal texts are equal. Lines stay. NUL stays too, so
 * that the database rejects the text: no person types it.
 */
export function cleanText(text: string): string {
  const visible = withoutInvisible(text.toWellFormed().normalize('NFC'))
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll(/(?![\n\t\0])\p{Cc}/gu, '')
    .trim()
    .normalize('NFC');
  return ONLY_BLANK.test(visible) ? '' : visible;
}

/** Repeats until nothing changes: without one invisible character, another may no longer belong to its word or picture. */
function withoutInvisible(text: string): string {
  const shorter = text.replaceAll(INVISIBLE, '');
  return shorter === text ? text : withoutInvisible(shorter);
}

/** Cleans a text like `cleanText`, and joins its lines with single spaces. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll('\0', '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** True if a text contains only spaces and invisible characters, or nothing. */
export function isBlank(text: string): boolean {
  return cleanLine(text) === '';
}

/** Spreadsheets run a text that begins like this as a formula: `=HYPERLINK(...)` in an export would be a stranger's code. */
const FORMULA = /^[=+\-@]/;

/**
 * True if a spreadsheet would run a text instead of showing it (ACCOUNT-4). Spaces in front do not prevent that, nor do
 * full-width and other signs that become these when a text is normalized.
 */
export function isFormula(text: string): boolean {
  return FORMULA.test(text.replaceAll(INVISIBLE, '').normalize('NFKC').trimStart());
}

/** A full stop, in all forms that browsers accept in an address. */
const STOP = '[.\\u2024\\u3002\\uFF0E\\uFF61]';
const ADDRESS = new RegExp(`:\\/\\/|[@\\uFF20]|[\\p{L}\\p{N}-]${STOP}\\p{L}{2}`, 'u');
/** Positions at which an inserted character breaks a web or email address. */
const INSIDE_ADDRESS = new RegExp(`(?<=[\\p{L}\\p{N}-]${STOP})(?=[\\p{L}-])|(?<=:)(?=\\/\\/)|(?<=[@\\uFF20])(?=\\S)`, 'gu');

/** True if a mail program may show part of a text as a link: a web or email address, with or without a scheme. */
export function hasAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/**
 * Returns a text that looks the same, but of which mail programs and notifications make no links: an invisible word joiner
 * follows each full stop inside a word, each `@`, and the colon of each `://`.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(INSIDE_ADDRESS, '\u2060');
}
