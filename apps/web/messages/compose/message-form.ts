import type { Person } from '../../api/api-shapes.ts';

/** A message as its writer left it: a reply, or the first message of a chain. */
export interface NewMessage {
  text: string;
  files: File[];
  subject?: string;
  caseId?: number | null;
  recipients?: Person[];
  /** The request that a new chain is about. */
  disbursementId?: number;
}

/** Builds the multipart body of a first message or a reply. Files come last, so that the API has the text before they stream. */
export function messageForm({ text, files, subject, caseId, recipients }: NewMessage): FormData {
  const form = new FormData();
  form.set('message', text.trim());
  const title = subject?.trim() ?? '';
  if (title !== '') form.set('subject', title);
  if (caseId !== undefined && caseId !== null) form.set('case_id', String(caseId));
  if (recipients !== undefined && recipients.length > 0) {
    // The API compares the bodies of attempts, in which the order of recipients counts.
    const people = recipients.map(({ user_type, user_id }) => ({ user_type, user_id }));
    form.set('recipients', JSON.stringify(people.sort((one, other) => one.user_id - other.user_id)));
  }
  for (const file of files) form.append('files', file, file.name);
  return form;
}

/** Serializes a form for comparison. Files are compared by name, size, and date. */
export function contentOf(form: FormData): string {
  const parts: unknown[] = [];
  for (const [name, value] of form) {
    parts.push(name, value instanceof File ? [value.name, value.size, value.lastModified] : value);
  }
  return JSON.stringify(parts);
}
