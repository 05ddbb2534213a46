import { isUtf8 } from 'node:buffer';
import { type ByteSource, readBytes } from '../byte-source.ts';

/** The number of bytes that a browser reads to guess a type (WHATWG MIME Sniffing, 5.2). */
const SNIFFED_BYTES = 1445;

/**
 * Beginnings that make a browser, a shell, or an office program run or render a text: the HTML and XML patterns of WHATWG MIME
 * Sniffing 7.1, scripts, PostScript, RTF, and PDF.
 */
const ACTIVE_START =
  /^(?:<(?:!doctype|!--|\?|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|img|math|object|embed|meta|link|base|form)[\s/>])|#!|%!ps|%pdf-|\{\\rtf)/i;
const ACTIVE_ANYWHERE = /<(?:script|svg|html|iframe|!doctype\s+html)[\s/>]/i;

/** True for control characters that text never contains: C0 except tab, line feed, form feed, and carriage return; and DEL. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte)) || byte === 0x7f;
}

/**
 * True for text in UTF-8, in UTF-16 with a byte order mark, or in a single-byte encoding (such as Windows-1252 or Windows-1251),
 * without control characters, that does not begin like HTML, SVG, a script, or a page description. Reads the source once, with
 * one chunk in memory.
 */
export async function isPlainText(source: ByteSource): Promise<boolean> {
  const start = await readBytes(source, 0, SNIFFED_BYTES);
  const utf16 = utf16Of(start);
  if (utf16 !== null) return isUtf16Text(source, utf16);
  if (looksActive(start.toString('latin1').replace(/^\xef\xbb\xbf/, ''))) return false;
  const utf8 = new Utf8Check();
  const counts = new Uint32Array(256);
  const count = (matches: (byte: number) => boolean) =>
    counts.reduce((sum, times, byte) => (matches(byte) ? sum + times : sum), 0);
  for await (const chunk of source.open()) {
    const bytes = chunk as Buffer;
    utf8.add(bytes);
    for (const byte of bytes) counts[byte] = (counts[byte] as number) + 1;
    if (count(isControl) > 0) return false;
  }
  if (utf8.valid()) return true;
  // Non-ASCII characters are rare in single-byte text in Latin letters, and almost all are letters in Cyrillic or Greek, while half
  // of compressed or encrypted bytes are not ASCII and they are spread evenly. A few words are too short to tell, so they pass.
  const beyondAscii = count((byte) => byte >= 0x80);
  const letters = count((byte) => byte >= 0xc0 || byte === 0xa8 || byte === 0xb8);
  const c1 = count((byte) => byte >= 0x80 && byte < 0xa0);
  const isMostlyLetters = beyondAscii <= Math.max(64, source.size * 0.4) || letters >= beyondAscii * 0.9;
  return isMostlyLetters && c1 <= Math.max(16, source.size * 0.1);
}

function looksActive(text: string): boolean {
  return ACTIVE_START.test(text.trimStart()) || ACTIVE_ANYWHERE.test(text);
}

function utf16Of(start: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}

/** Control characters, and code points that are no characters, which binary data contains. */
const NOT_TEXT = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/u;

async function isUtf16Text(source: ByteSource, encoding: 'utf-16le' | 'utf-16be'): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let start = '';
  try {
    for await (const chunk of source.open()) {
      const text = decoder.decode(chunk as Buffer, { stream: true });
      if (NOT_TEXT.test(text)) return false;
      if (start.length < SNIFFED_BYTES) start += text.slice(0, SNIFFED_BYTES);
    }
    decoder.decode();
  } catch {
    return false;
  }
  return !looksActive(start);
}

/** Checks UTF-8 that arrives in pieces, where a character may be cut between two of them. */
class Utf8Check {
  #cut: Buffer = Buffer.alloc(0);
  #valid = true;

  add(bytes: Buffer): void {
    if (!this.#valid) return;
    const joined = this.#cut.length === 0 ? bytes : Buffer.concat([this.#cut, bytes]);
    const whole = joined.length - cutLength(joined);
    this.#valid = isUtf8(joined.subarray(0, whole));
    this.#cut = Buffer.from(joined.subarray(whole));
  }

  valid(): boolean {
    return this.#valid && this.#cut.length === 0;
  }
}

/** The number of bytes at the end that begin an incomplete character (RFC 3629, 3). */
function cutLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
