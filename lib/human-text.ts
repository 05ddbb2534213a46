/**
 * What people type for people to read: names, subjects, notes, file names. Everything of it that is stored goes through here,
 * so that what is read is what is there.
 */

/** Scripts that write with joiners between letters, where leaving them out changes the word. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}]';
const PICTURE = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F]';
/** A joiner inside a family of pictures or a word of such a script, and how a picture is drawn. */
const VISIBLE = `(?<=${PICTURE})\\u200D(?=\\p{Extended_Pictographic})|(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})|(?<=[\\p{Extended_Pictographic}0-9#*])[\\uFE0E\\uFE0F]`;
/**
 * What nobody sees: zero-width and filler characters, and those that turn the direction of what follows, by which `exe.pdf` is
 * shown for `fdp.exe` and two names look like one (Unicode Technical Report 36, 2.5 and 3.1; Default_Ignorable_Code_Point).
 */
const INVISIBLE = new RegExp(`(?!${VISIBLE})[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]`, 'gu');

/**
 * Text without what nobody sees, in the form in which equal texts are equal (NFC); its lines stay. So does NUL, which no person
 * types: the database refuses such a text as a whole.
 */
export function manyLines(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll(/(?![\n\t\0])\p{Cc}/gu, '')
    .trim();
}

/** The same on one line, with single spaces. */
export function oneLine(text: string): string {
  return manyLines(text)
    .replaceAll('\0', '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Spreadsheets take a text that begins like this for a formula: `=HYPERLINK(...)` in an export is code of a stranger's. */
const FORMULA = /^[=+\-@]/;

/**
 * Whether a spreadsheet would run a text instead of showing it. Spaces before it do not help, nor do full-width and other
 * signs that become these when a text is normalized.
 */
export function isFormula(text: string): boolean {
  return FORMULA.test(text.replaceAll(INVISIBLE, '').normalize('NFKC').trimStart());
}

/** A full stop, also in the forms that browsers take for one in an address. */
const STOP = '[.\\u2024\\u3002\\uFF0E\\uFF61]';
const ADDRESS = new RegExp(`:\\/\\/|[@\\uFF20]|[\\p{L}\\p{N}-]${STOP}\\p{L}{2}`, 'u');
/** Places in which a web or email address no longer is one when something stands there. */
const INSIDE_ADDRESS = new RegExp(
  `(?<=[\\p{L}\\p{N}-]${STOP})(?=[\\p{L}-])|(?<=:)(?=\\/\\/)|(?<=[@\\uFF20])(?=\\S)`,
  'gu',
);

/** Whether a mail program may show part of a text as a link: a web or email address, with or without a scheme. */
export function hasAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/**
 * The same text to the eye, but no part of it becomes a link in a mail program or a notification: an invisible word joiner
 * follows each full stop inside a word, each `@`, and the colon of each `://`.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(INSIDE_ADDRESS, '\u2060');
}
