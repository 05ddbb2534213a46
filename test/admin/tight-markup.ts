/** Removes the line breaks between a page's tags, so that tests do not depend on the layout of templates. */
export function tightMarkup(page: unknown): string {
  return String(page)
    .replaceAll(/<[a-z][^<>]*>/g, (tag) => tag.replace(/\s*\n\s*>$/, '>').replaceAll(/\s*\n\s*/g, ' '))
    .replaceAll(/(<[a-z][^<>]*>)\s*\n\s*/g, '$1')
    .replaceAll(/\s*\n\s*(?=<\/[a-z])/g, '')
    .replaceAll(/(<\/[a-z\d]+>)\s*\n\s*(?=<)/g, '$1')
    .replaceAll(/\s*\n\s*(?=<[a-z])/g, ' ')
    .replaceAll(/(<\/[a-z\d]+>)\s*\n\s*/g, '$1 ');
}
