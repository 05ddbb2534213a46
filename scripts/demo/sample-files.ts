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

/** A PNG picture with plain stripes, 240 by 160. */
export const samplePng = (): Buffer => Buffer.from(STRIPES, 'base64');

const STRIPES = [
  'iVBORw0KGgoAAAANSUhEUgAAAPAAAACgCAIAAAC9uXYyAAAB0UlEQVR4nO3bsQnAMBAEwe/A9Tlx9YoduQA1YRAsA1PABZvefO+CjDm+AH4kaF',
  'IETYqgSRE0KYImRdCkCJoUQZMiaFIETYqgSRE0KYImRdCkCJoUQZMiaFIETcpczw0ZgiZF0KQImhRBkyJoUgRNiqBJETQpgiZF0KQImhRBkyJo',
  'UgRNiqBJETQpgiZF0KQImhQnWVIETYqgSRE0KYImRdCkCJoUQZMiaFIETYqgSRE0KYImRdCkCJoUQZMiaFIETYqgSRE0KU6ypAiaFEGTImhSBE',
  '2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSnGRJETQpgiZF0KQImhRBkyJoUgRNiqBJETQpgiZF0KQImhRBkyJoUgRN',
  'iqBJETQpgiZF0KQ4yZIiaFIETYqgSRE0KYImRdCkCJoUQZMiaFIETYqgSRE0KYImRdCkCJoUQZMiaFIETYqgSXGSJUXQpAiaFEGTImhSBE2KoE',
  'kRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGT4iRLiqBJETQpgiZF0KQImhRBkyJoUgRNiqBJETQpgiZF0KQImhRBkyJoUgRNiqBJ',
  'ETQpgiZlA1LeE5eQU2PEAAAAAElFTkSuQmCC',
].join('');
