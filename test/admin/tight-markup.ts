/** A page without the line breaks between its tags, so that tests do not depend on how a template is laid out. */
export function tightMarkup(page: unknown): string {
  return String(page)
    .replaceAll(/<[a-z][^<>]*>/g, (tag) => tag.replace(/\s*\n\s*>$/, '>').replaceAll(/\s*\n\s*/g, ' '))
    .replaceAll(/(<[a-z][^<>]*>)\s*\n\s*/g, '$1')
    .replaceAll(/\s*\n\s*(?=<\/[a-z])/g, '')
    .replaceAll(/(<\/[a-z\d]+>)\s*\n\s*(?=<)/g, '$1')
    .replaceAll(/\s*\n\s*(?=<[a-z])/g, ' ')
    .replaceAll(/(<\/[a-z\d]+>)\s*\n\s*/g, '$1 ');
}
