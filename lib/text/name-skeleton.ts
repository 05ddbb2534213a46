/** Characters that look like Latin letters, and below each one that letter (after Unicode Technical Standard 39). */
const LOOKALIKES = [...'авсԁеһіјкӏмнорѕтуүѵԝхԛгпɡıȷłαβγεηικνορστυχøđħօսոհզ013|5'];
const LETTERS = [...'abcdehijklmhopstyyvwxqrngijlabyenikvopotuxodhounhqolels'];
const LETTER_OF = new Map(LOOKALIKES.map((character, at) => [character, LETTERS[at] ?? character]));

/**
 * Reduces a name to its looks: two names with the same skeleton can be mistaken for each other (ACCOUNT-5). Case, accents,
 * spaces, and punctuation make no difference, nor do characters that look alike, such as a capital I and a small l.
 */
export function nameSkeleton(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return [...plain]
    .map((character) => LETTER_OF.get(character) ?? character)
    .join('')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}
