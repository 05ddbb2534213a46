import { moneyWords } from '@case-platform/words/money';
import { type Color, Raster } from './raster.ts';

/** Pictures that people of the demo upload: receipts, portraits, and identity cards. */

const PAPER: Color = [252, 251, 247];
const TABLE: Color = [196, 178, 156];
const INK: Color = [44, 44, 52];
const FAINT: Color = [150, 148, 146];

export interface Sale {
  shop: string;
  place: string;
  day: string;
  items: readonly (readonly [what: string, cents: number])[];
}

const SIGNS = 26;
const LINE = 24;

/** Draws the receipt of a cash register on a table. */
export function drawReceipt({ shop, place, day, items }: Sale): Buffer {
  const total = items.reduce((sum, [, cents]) => sum + cents, 0);
  const height = 300 + items.length * LINE;
  const picture = new Raster(440, height + 72, TABLE);
  picture.fillRows((y) => shade(TABLE, Math.sin(y / 7) * 5));
  picture.rectangle(42, 42, 366, height - 6, [170, 154, 134]);
  picture.rectangle(36, 36, 366, height - 6, PAPER);
  for (let x = 36; x < 402; x += 1)
    for (let y = 0; y < 8; y += 1) if (Math.abs(((x - 36) % 16) - 8) > y) picture.blend(x, height + 29 - y, TABLE, 1);
  const line = (row: number, words: string, color = INK) => picture.text(62, 64 + row * LINE, words, { color });
  const centered = (words: string) => words.padStart(Math.floor((SIGNS + words.length) / 2));
  line(0, centered(shop));
  line(1, centered(place), FAINT);
  line(3, twoSided(day, '#4127'), FAINT);
  line(4, '-'.repeat(SIGNS), FAINT);
  for (const [at, [what, cents]] of items.entries()) line(5 + at, twoSided(what, plain(cents)));
  const end = 5 + items.length;
  line(end, '-'.repeat(SIGNS), FAINT);
  line(end + 1, twoSided('TOTAL', moneyWords(total).replace(',', '')));
  line(end + 2, twoSided('CARD', '**** 6701'), FAINT);
  line(end + 4, centered('THANK YOU'));
  return picture.toPng();
}

function twoSided(left: string, right: string): string {
  return left.slice(0, SIGNS - right.length - 1).padEnd(SIGNS - right.length) + right;
}

const plain = (cents: number) => (cents / 100).toFixed(2);

export interface Face {
  skin: Color;
  hair: Color;
  shirt: Color;
  ground: Color;
  isLong: boolean;
}

const SIZE = 320;

/** Draws a portrait from a few flat shapes. */
export function drawPortrait(face: Face): Buffer {
  const picture = new Raster(SIZE, SIZE, face.ground);
  picture.fillRows((y) => shade(face.ground, (SIZE - y) / 16 - 8));
  picture.ellipse([236, 70], [120, 120], shade(face.ground, 12));
  drawFigure(picture, face, { left: 0, top: 0, scale: 1 });
  return picture.toPng();
}

function drawFigure(
  picture: Raster,
  { skin, hair, shirt, isLong }: Face,
  { left, top, scale }: { left: number; top: number; scale: number },
): void {
  const oval = (x: number, y: number, rx: number, ry: number, color: Color) =>
    picture.ellipse([left + x * scale, top + y * scale], [rx * scale, ry * scale], color);
  const box = (x: number, y: number, width: number, height: number, color: Color) =>
    picture.rectangle(
      ...([x * scale + left, y * scale + top, width * scale, height * scale].map(Math.round) as [number, number, number, number]),
      color,
    );
  if (isLong) {
    oval(160, 150, 84, 96, hair);
    box(84, 150, 153, 92, hair);
  }
  oval(160, 350, 132, 112, shirt);
  box(138, 196, 45, 56, shade(skin, -14));
  oval(160, 250, 23, 16, shade(skin, -14));
  oval(160, 148, 60, 72, skin);
  oval(160, 100, 68, 50, hair);
  oval(150, 128, 54, 34, skin);
  oval(138, 150, 5, 6, INK);
  oval(184, 150, 5, 6, INK);
  oval(160, 184, 20, 9, shade(skin, -52));
  oval(160, 180, 22, 8, skin);
}

/** Draws a card that no one could mistake for a real one. */
export function drawPhotoId(name: string, face: Face): Buffer {
  const picture = new Raster(640, 400, PAPER);
  picture.fillRows((y) => shade([226, 236, 232], Math.sin(y / 14) * 5));
  picture.rectangle(36, 96, 176, 226, [206, 218, 214]);
  drawFigure(picture, face, { left: 20, top: 92, scale: 0.65 });
  picture.rectangle(0, 0, 640, 64, [15, 94, 89]);
  picture.text(28, 20, 'SAMPLE IDENTITY CARD', { size: 4, color: [255, 255, 255] });
  picture.rectangle(0, 322, 640, 78, PAPER);
  picture.text(44, 348, 'SAMPLE - NOT A DOCUMENT', { size: 4, color: [176, 64, 56] });
  const [first = '', last = ''] = name.split(' ');
  for (const [at, [label, value]] of [
    ['NAME', last],
    ['GIVEN NAME', first],
    ['NUMBER', 'S000-0000-0000'],
  ].entries()) {
    picture.text(244, 108 + at * 68, label ?? '', { size: 2, color: FAINT });
    picture.text(244, 130 + at * 68, value ?? '', { size: 4 });
  }
  return picture.toPng();
}

function shade([red, green, blue]: Color, by: number): Color {
  const part = (value: number) => Math.max(0, Math.min(255, Math.round(value + by)));
  return [part(red), part(green), part(blue)];
}
