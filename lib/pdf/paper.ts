export const PAPERS = ['letter', 'a4'] as const;
export type Paper = (typeof PAPERS)[number];

/** Countries where letters are 8.5 by 11 inches (Unicode CLDR, supplemental data, 'paperSize'). */
const LETTER = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** The paper of a reader: their choice, otherwise that of the first region in their browser's languages, otherwise Letter. */
export function paperOf(choice: Paper | undefined, acceptLanguage = ''): Paper {
  const region = /^\s*[a-z]{2,3}(?:-[A-Za-z]{4})?-([A-Z]{2})\b/.exec(acceptLanguage)?.[1];
  return choice ?? (region === undefined || LETTER.has(region) ? 'letter' : 'a4');
}
