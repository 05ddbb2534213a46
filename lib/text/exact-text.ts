import { createHash } from 'node:crypto';

/**
 * True if a text that identifies something can be stored exactly. UTF-8 has no lone surrogates, and PostgreSQL stores no NUL:
 * replacing or removing them would make two different ids equal (KEY-4).
 */
export function isExactText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * An id that another system chose, in a form that can be stored: as it is, or hashed if it is too long or cannot be stored
 * exactly.
 */
export function storableId(id: string, maxLength: number): string {
  if (id.length <= maxLength && isExactText(id)) return id;
  // JSON escapes lone surrogates.
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`;
}
