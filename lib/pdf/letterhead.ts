import { brand } from '../brand.ts';
import { MARGIN, type Pdf, QUIET_INK } from './open-pdf.ts';

const LOGO_HEIGHT = 28;

/** Draws the company's logo, name, address, and license at the top of a letter (BRAND-1). @returns the y position below. */
export function drawLetterhead(pdf: Pdf): number {
  const { name, address, license, logo } = brand();
  const full = { x: MARGIN, width: pdf.width };
  let y = MARGIN;
  if (logo !== null) {
    pdf.picture(logo.bytes, { x: MARGIN, y, height: LOGO_HEIGHT });
    y += LOGO_HEIGHT + 8;
  }
  pdf.text(name, { ...full, y }, { size: 12, weight: 'strong', color: '#0f5e59' });
  y += 18;
  for (const line of [...address, ...(license === null ? [] : [license])]) {
    pdf.text(line, { ...full, y }, { size: 8.5, color: QUIET_INK });
    y += 12;
  }
  pdf.rule(y + 6);
  return y + 22;
}
