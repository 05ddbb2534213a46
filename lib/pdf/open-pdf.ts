import { setImmediate } from 'node:timers/promises';
import { brand } from '../brand.ts';
import type { Paper } from './paper.ts';
import { fontFile, readCharacters, type Weight, writable } from './typeface.ts';

/** In points: 72 to an inch. */
export const MARGIN = 54;
const FOOTER_HEIGHT = 36;

interface Place {
  x: number;
  y: number;
  width: number;
}
interface Looks {
  size?: number;
  weight?: Weight;
  color?: string;
  align?: 'left' | 'right' | 'center';
  /** The most lines; text that does not fit ends with an ellipsis. */
  lines?: number;
}

const INK = '#1f2927';
export const QUIET_INK = '#5b6663';
const LINE_HEIGHT = 1.35;

/** A document with selectable text in the typeface of the pages. PDF readers show `title` instead of the file's name. */
export class Pdf {
  readonly #characters: ReadonlySet<number>;
  readonly #doc: PDFKit.PDFDocument;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<void>;

  /** The library takes 35 MiB, so it is loaded with the first document (PROCESS-4). */
  static async open({ paper, title, now }: { paper: Paper; title: string; now: Date }): Promise<Pdf> {
    const [{ default: PDFDocument }, characters] = await Promise.all([import('pdfkit'), readCharacters()]);
    return new Pdf(
      characters,
      new PDFDocument({
        size: paper === 'a4' ? 'A4' : 'LETTER',
        margin: 0,
        bufferPages: true,
        displayTitle: true,
        lang: 'en-US',
        pdfVersion: '1.7',
        info: { Title: writable(title, characters), CreationDate: now, Creator: brand().name },
      }),
    );
  }

  private constructor(characters: ReadonlySet<number>, doc: PDFKit.PDFDocument) {
    this.#characters = characters;
    this.#doc = doc;
    for (const weight of ['text', 'strong'] as const) this.#doc.registerFont(weight, fontFile(weight));
    this.#ended = new Promise((resolve, reject) => {
      this.#doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
      this.#doc.once('end', resolve);
      this.#doc.once('error', reject);
    });
  }

  /** The width between the margins. */
  get width(): number {
    return this.#doc.page.width - 2 * MARGIN;
  }

  /** The lowest point that the content of a page may reach. */
  get bottom(): number {
    return this.#doc.page.height - MARGIN - FOOTER_HEIGHT;
  }

  /** Writes text at a place. @returns its height. */
  text(text: string, { x, y, width }: Place, { size = 9.5, weight = 'text', color = INK, align, lines = 1 }: Looks = {}): number {
    const printable = writable(text, this.#characters);
    const height = size * LINE_HEIGHT;
    this.#doc.font(weight).fontSize(size).fillColor(color);
    if (lines === 1) this.#doc.text(this.#fitting(printable, width), x, y, { width, align, lineBreak: false });
    else
      this.#doc.text(printable, x, y, {
        width,
        align,
        height: height * lines,
        ellipsis: true,
        lineGap: height - this.#doc.currentLineHeight(),
      });
    return lines === 1 ? height : this.#doc.y - y;
  }

  /** Writes right-aligned figures whose digits all have the same width. */
  figure(text: string, { x, y, width }: Place, { size = 9.5, weight = 'text', color = INK }: Looks = {}): void {
    this.#doc.font(weight).fontSize(size).fillColor(color);
    this.#doc.text(text, x, y, { width, align: 'right', lineBreak: false, features: ['tnum'] });
  }

  rule(y: number, color = '#d9dedb'): void {
    this.#doc
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.width, y)
      .lineWidth(0.6)
      .strokeColor(color)
      .stroke();
  }

  /** Draws a PNG or JPEG picture at a height. */
  picture(bytes: Buffer, { x, y, height }: { x: number; y: number; height: number }): void {
    this.#doc.image(bytes, x, y, { height });
  }

  /** Draws black squares, such as those of a QR code. */
  squares(places: readonly { x: number; y: number }[], side: number): void {
    for (const { x, y } of places) this.#doc.rect(x, y, side, side);
    this.#doc.fill('#000000');
  }

  /** Begins a page, after other work had its turn, because a long document takes a while. */
  async addPage(): Promise<void> {
    await setImmediate();
    this.#doc.addPage();
  }

  /** Numbers the pages and closes the document. @param note the text at the foot of each page. */
  async finish(note: string): Promise<Buffer> {
    const { count } = this.#doc.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#doc.switchToPage(page);
      const y = this.bottom + FOOTER_HEIGHT / 2;
      this.rule(y - 8);
      const looks = { size: 8, color: QUIET_INK };
      this.text(note, { x: MARGIN, y, width: this.width - 90 }, looks);
      this.text(`Page ${page + 1} of ${count}`, { x: MARGIN + this.width - 90, y, width: 90 }, { ...looks, align: 'right' });
    }
    this.#doc.end();
    await this.#ended;
    return Buffer.concat(this.#chunks);
  }

  #fitting(text: string, width: number): string {
    if (this.#doc.widthOfString(text) <= width) return text;
    const characters = [...text];
    let most = characters.length;
    while (most > 0 && this.#doc.widthOfString(`${characters.slice(0, most).join('')}…`) > width) most = Math.floor(most * 0.95);
    return `${characters.slice(0, most).join('')}…`;
  }
}
