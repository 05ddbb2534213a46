import { createHash } from 'node:crypto';

/**
 * Whether a text that identifies something is stored exactly as it is. UTF-8 has no lone surrogates, and PostgreSQL stores no
 * NUL: replacing or removing them would make two different ids equal.
 */
export function isExactText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** An id of another system's choosing in a form that can be stored: itself, or a hash of one that is too long or not exact. */
export function storableId(id: string, maxLength: number): string {
  if (id.length <= maxLength && isExactText(id)) return id;
  // As JSON, in which lone surrogates are escaped.
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`;
}
