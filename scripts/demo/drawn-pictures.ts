import { readFileSync } from 'node:fs';
import { moneyWords } from '@case-platform/words/money';
import { create, type Font } from 'fontkit';
import sharp from 'sharp';

/** Pictures that people of the demo upload: receipts, portraits, and identity cards. They are drawn, so that none is committed. */

const PAPER = '#fcfbf7';
const TABLE = '#c4b29c';
const INK = '#2c2c34';
const FAINT = '#969492';

const FONT_FILE = new URL('./fonts/geist-mono/GeistMono-Regular.ttf', import.meta.resolve('geist/font/sans'));
const font = create(readFileSync(FONT_FILE)) as Font;

const draw = (width: number, height: number, shapes: string): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`))
    .png()
    .toBuffer();

/** A line of text as outlines, because not every machine has fonts. `y` is that of its base line. */
function text(x: number, y: number, words: string, { size = 17, color = INK } = {}): string {
  let left = 0;
  const outlines = font.layout(words).glyphs.map((glyph) => {
    const outline = `<path transform="translate(${left} 0)" d="${glyph.path.toSVG()}"/>`;
    left += glyph.advanceWidth;
    return outline;
  });
  const scale = size / font.unitsPerEm;
  return `<g transform="translate(${x} ${y}) scale(${scale} ${-scale})" fill="${color}">${outlines.join('')}</g>`;
}

const box = (x: number, y: number, width: number, height: number, color: string) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${color}"/>`;

export interface Sale {
  shop: string;
  place: string;
  day: string;
  items: readonly (readonly [what: string, cents: number])[];
}

const SIGNS = 31;
const LINE = 24;

/** Draws the receipt of a cash register on a table. */
export function drawReceipt({ shop, place, day, items }: Sale): Promise<Buffer> {
  const total = items.reduce((sum, [, cents]) => sum + cents, 0);
  const height = 300 + items.length * LINE;
  const centered = (words: string) => words.padStart(Math.floor((SIGNS + words.length) / 2));
  const rule = ['-'.repeat(SIGNS), FAINT] as const;
  const lines: (readonly [words: string, color?: string])[] = [
    [centered(shop)],
    [centered(place), FAINT],
    [''],
    [twoSided(day, '#4127'), FAINT],
    rule,
    ...items.map(([what, cents]) => [twoSided(what, (cents / 100).toFixed(2))] as const),
    rule,
    [twoSided('TOTAL', moneyWords(total).replace(',', ''))],
    [twoSided('CARD', '**** 6701'), FAINT],
    [''],
    [centered('THANK YOU')],
  ];
  const shapes = [
    box(0, 0, 440, height + 72, TABLE),
    box(42, 42, 366, height - 6, '#aa9a86'),
    box(36, 36, 366, height - 6, PAPER),
    ...lines.map(([words, color = INK], row) => text(61, 78 + row * LINE, words, { color })),
  ];
  return draw(440, height + 72, shapes.join(''));
}

function twoSided(left: string, right: string): string {
  return left.slice(0, SIGNS - right.length - 1).padEnd(SIGNS - right.length) + right;
}

/** The colors of a portrait. */
export interface Face {
  skin: string;
  hair: string;
  shirt: string;
  ground: string;
  isLong: boolean;
}

/** Draws a portrait from a few flat shapes. */
export function drawPortrait(face: Face): Promise<Buffer> {
  return draw(320, 320, `${box(0, 0, 320, 320, face.ground)}<circle cx="236" cy="70" r="120" fill="#fff4"/>${figure(face)}`);
}

function figure({ skin, hair, shirt, isLong }: Face): string {
  const oval = (cx: number, cy: number, rx: number, ry: number, color: string) =>
    `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${color}"/>`;
  const neck = (color: string) => `<path d="M138 196 h45 v54 a22 16 0 0 1 -45 0 z" fill="${color}"/>`;
  return [
    isLong ? oval(160, 150, 84, 96, hair) + box(84, 150, 153, 92, hair) : '',
    oval(160, 350, 132, 112, shirt),
    neck(skin),
    neck('#0002'),
    oval(160, 148, 60, 72, skin),
    oval(160, 100, 68, 50, hair),
    oval(150, 128, 54, 34, skin),
    oval(138, 150, 5, 6, INK),
    oval(184, 150, 5, 6, INK),
    '<path d="M140 182 q20 16 40 0" fill="none" stroke="#0006" stroke-width="4"/>',
  ].join('');
}

/** Draws a card that no one could mistake for a real one. */
export function drawPhotoId(name: string, face: Face): Promise<Buffer> {
  const [first = '', last = ''] = name.toUpperCase().split(' ');
  const fields = [
    ['NAME', last],
    ['GIVEN NAME', first],
    ['NUMBER', 'S000-0000-0000'],
  ].map(
    ([label = '', value = ''], at) =>
      text(244, 122 + at * 68, label, { size: 16, color: FAINT }) + text(244, 156 + at * 68, value, { size: 34 }),
  );
  const shapes = [
    box(0, 0, 640, 400, '#e2ece8'),
    box(36, 96, 176, 226, '#cedad6'),
    `<g transform="translate(20 92) scale(0.65)">${figure(face)}</g>`,
    box(0, 0, 640, 64, '#0f5e59'),
    text(28, 46, 'SAMPLE IDENTITY CARD', { size: 38, color: '#fff' }),
    box(0, 322, 640, 78, PAPER),
    text(44, 374, 'SAMPLE - NOT A DOCUMENT', { size: 38, color: '#b04038' }),
    ...fields,
  ];
  return draw(640, 400, shapes.join(''));
}
