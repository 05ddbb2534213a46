export const PAPERS = ['letter', 'a4'] as const;
export type Paper = (typeof PAPERS)[number];

/** Where letters are 8.5 by 11 inches (Unicode CLDR, supplemental data, 'paperSize'). */
const LETTER = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** The paper of a reader: what they ask for, else that of the first region among their browser's languages, else Letter. */
export function paperOf(asked: Paper | undefined, acceptLanguage = ''): Paper {
  const region = /^\s*[a-z]{2,3}(?:-[A-Za-z]{4})?-([A-Z]{2})\b/.exec(acceptLanguage)?.[1];
  return asked ?? (region === undefined || LETTER.has(region) ? 'letter' : 'a4');
}
