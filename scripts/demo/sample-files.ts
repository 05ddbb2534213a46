import { Raster } from './raster.ts';

/** Small valid files for demo data and tests, made by code so that the repository needs no binary files. */

/** A one-page PDF with one line of text. */
export function samplePdf(line: string): Buffer {
  return pagePdf([{ words: line, size: 18, down: 72 }]);
}

/** A line of text, with its distance from the top and, unless it starts at the margin, from the left. */
export interface PdfLine {
  words: string;
  size: number;
  down: number;
  left?: number;
  isBold?: boolean;
}

const MARGIN = 72;
const HEIGHT = 792;

/** A page of lines (PDF 1.4, US Letter, with its cross-reference table). */
export function pagePdf(lines: readonly PdfLine[]): Buffer {
  const text = lines
    .map(({ words, size, down, left = MARGIN, isBold = false }) => {
      const escaped = words.replaceAll(/[\\()]/g, '\\$&');
      return `BT /${isBold ? 'F2' : 'F1'} ${size} Tf ${left} ${HEIGHT - down} Td (${escaped}) Tj ET`;
    })
    .join('\n');
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const resources = '/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >>';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${HEIGHT}] /Contents 4 0 R ${resources} >>`,
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}

/** A PNG picture with plain stripes. */
export function samplePng(): Buffer {
  const picture = new Raster(240, 160, [15, 94, 89]);
  picture.fillRows((y) => (y % 40 < 20 ? [244, 238, 228] : [15, 94, 89]));
  return picture.toPng();
}
