import type { Pdf } from './open-pdf.ts';

/** Draws a QR code with this text, for cameras. @param side its width in points, without the quiet zone. */
export async function drawQrCode(pdf: Pdf, text: string, { x, y, side }: { x: number; y: number; side: number }): Promise<void> {
  const { generate } = await import('lean-qr');
  const code = generate(text);
  const module = side / code.size;
  const places = [];
  for (let row = 0; row < code.size; row += 1)
    for (let column = 0; column < code.size; column += 1)
      if (code.get(column, row)) places.push({ x: x + column * module, y: y + row * module });
  pdf.squares(places, module);
}
