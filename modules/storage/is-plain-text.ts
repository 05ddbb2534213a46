import type { ByteSource } from './byte-source.ts';
import { readBytes } from './byte-source.ts';

/** How far from the start a browser looks when it guesses a type (WHATWG MIME Sniffing, 5.2). */
const SNIFFED_BYTES = 1445;

/**
 * What makes a browser, a shell or an office program run or render a text: the HTML and XML patterns of WHATWG MIME
 * Sniffing 7.1, scripts, PostScript, RTF and PDF.
 */
const ACTIVE_START =
  /^(?:<(?:!doctype|!--|\?|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|img|math|object|embed|meta|link|base|form)[\s/>])|#!|%!ps|%pdf-|\{\\rtf)/i;
const ACTIVE_ANYWHERE = /<(?:script|svg|html|iframe|!doctype\s+html)[\s/>]/i;

/** Controls that text does not hold: all of C0 but tab, line feed, form feed, carriage return; and DEL. */
const CONTROL = new Uint8Array(256);
for (let code = 0; code < 0x20; code++) CONTROL[code] = 1;
for (const allowed of [0x09, 0x0a, 0x0c, 0x0d]) CONTROL[allowed] = 0;
CONTROL[0x7f] = 1;

/**
 * Whether this is text in UTF-8 or in a single-byte encoding (Latin-1, Windows-1252), without control characters and
 * without a beginning that would be taken for HTML, SVG, a script or a page description. One pass, one chunk in memory.
 */
export async function isPlainText(source: ByteSource): Promise<boolean> {
  if (looksActive(await readBytes(source, 0, SNIFFED_BYTES))) return false;
  const utf8 = new Utf8Check();
  let controls = false;
  let c1 = 0;
  let high = 0;
  for await (const chunk of source.open()) {
    const bytes = chunk as Buffer;
    utf8.add(bytes);
    for (const byte of bytes) {
      if (CONTROL[byte] === 1) controls = true;
      if (byte >= 0x80) high++;
      if (byte >= 0x80 && byte < 0xa0) c1++;
    }
    if (controls) return false;
  }
  // Letters beyond ASCII are the exception in a single-byte text; in compressed or encrypted bytes they are every other.
  return utf8.valid() || (high <= source.size * 0.4 && c1 <= source.size * 0.1);
}

function looksActive(start: Buffer): boolean {
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return ACTIVE_START.test(text.trimStart()) || ACTIVE_ANYWHERE.test(text);
}

class Utf8Check {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #failed = false;

  add(bytes: Uint8Array): void {
    if (this.#failed) return;
    try {
      this.#decoder.decode(bytes, { stream: true });
    } catch {
      this.#failed = true;
    }
  }

  valid(): boolean {
    if (this.#failed) return false;
    try {
      this.#decoder.decode();
      return true;
    } catch {
      return false;
    }
  }
}
