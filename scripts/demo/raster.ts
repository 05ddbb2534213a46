import { crc32, deflateSync } from 'node:zlib';

/** Draws pictures pixel by pixel, so that the repository needs no binary files. */

export type Color = readonly [red: number, green: number, blue: number];

export class Raster {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Buffer;

  constructor(width: number, height: number, ground: Color) {
    this.width = width;
    this.height = height;
    this.#pixels = Buffer.alloc(width * height * 3);
    this.fillRows(() => ground);
  }

  fillRows(colorOf: (y: number) => Color): void {
    const stride = this.width * 3;
    for (let y = 0; y < this.height; y += 1) this.#pixels.fill(Buffer.from(colorOf(y)), y * stride, (y + 1) * stride);
  }

  /** Blends a color into a pixel; `cover` is the covered part of it, from 0 to 1. */
  blend(x: number, y: number, color: Color, cover: number): void {
    if (cover <= 0 || x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = (y * this.width + x) * 3;
    for (const [part, value] of color.entries()) {
      const below = this.#pixels[at + part] ?? 0;
      this.#pixels[at + part] = Math.round(below + (value - below) * Math.min(cover, 1));
    }
  }

  rectangle(left: number, top: number, width: number, height: number, color: Color): void {
    for (let y = top; y < top + height; y += 1) for (let x = left; x < left + width; x += 1) this.blend(x, y, color, 1);
  }

  /** Draws an ellipse with a soft edge. */
  ellipse(middle: readonly [x: number, y: number], radius: readonly [x: number, y: number], color: Color): void {
    const [[cx, cy], [rx, ry]] = [middle, radius];
    for (let y = Math.floor(cy - ry - 1); y <= cy + ry + 1; y += 1)
      for (let x = Math.floor(cx - rx - 1); x <= cx + rx + 1; x += 1) {
        const distance = Math.hypot((x - cx) / rx, (y - cy) / ry);
        this.blend(x, y, color, (1 - distance) * Math.min(rx, ry) + 0.5);
      }
  }

  /** Writes capitals, digits, and signs in the font of a cash register, five by seven dots each. */
  text(left: number, top: number, words: string, { size = 2, color = [40, 40, 46] as Color } = {}): void {
    for (const [place, sign] of [...words.toUpperCase()].entries())
      for (const [column, bits] of (GLYPHS[sign] ?? GLYPHS['-'] ?? []).entries())
        for (let row = 0; row < 7; row += 1)
          if ((bits >> row) & 1) this.rectangle(left + (place * 6 + column) * size, top + row * size, size, size, color);
  }

  /** Encodes the picture as a PNG (ISO/IEC 15948). */
  toPng(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(this.width, 0);
    header.writeUInt32BE(this.height, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const stride = this.width * 3;
    const rows = Buffer.alloc((stride + 1) * this.height);
    for (let y = 0; y < this.height; y += 1) this.#pixels.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 6 })), chunk('IEND', Buffer.alloc(0))];
    return Buffer.concat([signature, ...parts]);
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

/** The columns of each character from the left; the lowest bit is the top dot. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  ' ': [0, 0, 0, 0, 0],
  '-': [8, 8, 8, 8, 8],
  '.': [0, 0x60, 0x60, 0, 0],
  ',': [0, 0x40, 0x30, 0, 0],
  ':': [0, 0, 0x14, 0, 0],
  '/': [0x20, 0x10, 8, 4, 2],
  '#': [0x14, 0x7f, 0x14, 0x7f, 0x14],
  "'": [0, 4, 3, 0, 0],
  $: [0x24, 0x2a, 0x7f, 0x2a, 0x12],
  '*': [0x2a, 0x1c, 0x7f, 0x1c, 0x2a],
  '&': [0x36, 0x49, 0x56, 0x20, 0x50],
  0: [0x3e, 0x51, 0x49, 0x45, 0x3e],
  1: [0, 0x42, 0x7f, 0x40, 0],
  2: [0x72, 0x49, 0x49, 0x49, 0x46],
  3: [0x21, 0x41, 0x49, 0x4d, 0x33],
  4: [0x18, 0x14, 0x12, 0x7f, 0x10],
  5: [0x27, 0x45, 0x45, 0x45, 0x39],
  6: [0x3c, 0x4a, 0x49, 0x49, 0x31],
  7: [0x41, 0x21, 0x11, 9, 7],
  8: [0x36, 0x49, 0x49, 0x49, 0x36],
  9: [0x46, 0x49, 0x49, 0x29, 0x1e],
  A: [0x7c, 0x12, 0x11, 0x12, 0x7c],
  B: [0x7f, 0x49, 0x49, 0x49, 0x36],
  C: [0x3e, 0x41, 0x41, 0x41, 0x22],
  D: [0x7f, 0x41, 0x41, 0x41, 0x3e],
  E: [0x7f, 0x49, 0x49, 0x49, 0x41],
  F: [0x7f, 9, 9, 9, 1],
  G: [0x3e, 0x41, 0x41, 0x51, 0x73],
  H: [0x7f, 8, 8, 8, 0x7f],
  I: [0, 0x41, 0x7f, 0x41, 0],
  J: [0x20, 0x40, 0x41, 0x3f, 1],
  K: [0x7f, 8, 0x14, 0x22, 0x41],
  L: [0x7f, 0x40, 0x40, 0x40, 0x40],
  M: [0x7f, 2, 0x1c, 2, 0x7f],
  N: [0x7f, 4, 8, 0x10, 0x7f],
  O: [0x3e, 0x41, 0x41, 0x41, 0x3e],
  P: [0x7f, 9, 9, 9, 6],
  Q: [0x3e, 0x41, 0x51, 0x21, 0x5e],
  R: [0x7f, 9, 0x19, 0x29, 0x46],
  S: [0x26, 0x49, 0x49, 0x49, 0x32],
  T: [3, 1, 0x7f, 1, 3],
  U: [0x3f, 0x40, 0x40, 0x40, 0x3f],
  V: [0x1f, 0x20, 0x40, 0x20, 0x1f],
  W: [0x3f, 0x40, 0x38, 0x40, 0x3f],
  X: [0x63, 0x14, 8, 0x14, 0x63],
  Y: [3, 4, 0x78, 4, 3],
  Z: [0x61, 0x59, 0x49, 0x4d, 0x43],
};
