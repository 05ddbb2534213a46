import { inflateSync } from 'node:zlib';

/**
 * The text that someone gets who selects and copies all of a PDF: a line for each piece, decoded with the tables of its fonts.
 */
export function pdfText(file: Buffer): string {
  const text = file.toString('latin1');
  const objects = new Map([...text.matchAll(/(\d+) 0 obj\n(.*?)\nendobj/gs)].map(([, id = '', body = '']) => [Number(id), body]));
  const streamOf = (id: number) => {
    const raw = /stream\n(.*)\nendstream/s.exec(objects.get(id) ?? '')?.[1] ?? '';
    return inflateSync(Buffer.from(raw, 'latin1')).toString('latin1');
  };
  const reference = (body: string, name: string) => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1]);
  const fonts = new Map<string, string[]>();
  for (const body of objects.values())
    for (const [, name = '', id = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(name, lettersOf(streamOf(reference(objects.get(Number(id)) ?? '', 'ToUnicode'))));
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body));
  return pages.flatMap((page) => piecesOf(streamOf(reference(page, 'Contents')), fonts)).join('\n');
}

/** The letters of each glyph. */
function lettersOf(map: string): string[] {
  return [...map.matchAll(/<[0-9a-f]+> <[0-9a-f]+> \[(.*?)\]/gis)].flatMap(([, row = '']) =>
    [...row.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = '']) =>
      Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
    ),
  );
}

function piecesOf(content: string, fonts: ReadonlyMap<string, string[]>): string[] {
  let letters: string[] = [];
  return [...content.matchAll(/\/(F\d+) [\d.]+ Tf|\[(.*?)\] TJ/g)].flatMap(([, font, shown]) => {
    if (font !== undefined) letters = fonts.get(font) ?? [];
    if (shown === undefined) return [];
    const glyphs = [...shown.matchAll(/<([0-9a-f]+)>/gi)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return glyphs.map((glyph) => letters[Number.parseInt(glyph, 16)] ?? '\u0000').join('');
  });
}
