import type { Person } from '../../api/api-shapes.ts';

interface NewMessage {
  text: string;
  files: readonly File[];
  subject?: string;
  caseId?: number | null;
  recipients?: readonly Pick<Person, 'user_type' | 'user_id'>[];
}

/** Builds the multipart body of a first message or a reply. Files come last, so that the API has the text before they stream. */
export function messageForm({ text, files, subject, caseId, recipients }: NewMessage): FormData {
  const form = new FormData();
  form.set('message', text.trim());
  const title = subject?.trim() ?? '';
  if (title !== '') form.set('subject', title);
  if (caseId !== undefined && caseId !== null) form.set('case_id', String(caseId));
  if (recipients !== undefined && recipients.length > 0) {
    form.set('recipients', JSON.stringify(recipients.map(({ user_type, user_id }) => ({ user_type, user_id }))));
  }
  for (const file of files) form.append('files', file, file.name);
  return form;
}
