// Files go straight to the storage in three steps: ask where to, send, confirm.
import { onFilesDropped } from './parts/drop-files.ts';
import { getElement } from './parts/elements.ts';

const token = document.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? '';

/** Where to send a file, and the fields that the storage asks for. */
interface UploadTarget {
  upload_url: string;
  upload_fields: Record<string, string>;
  file_key: string;
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-upload]')) {
  const input = getElement<HTMLInputElement>('input[type=file]', form);
  const status = getElement('[role=status]', form);
  const problem = getElement('[role=alert]', form);
  form.hidden = false;
  input.addEventListener('change', () => sendAll([...(input.files ?? [])]));
  onFilesDropped(form, (files) => {
    if (!input.disabled) sendAll(files);
  });

  async function sendAll(files: File[]): Promise<void> {
    if (files.length === 0) return;
    input.disabled = true;
    problem.textContent = '';
    const refused: string[] = [];
    for (const file of files) {
      try {
        await send(file, (share) => {
          status.textContent = share < 1 ? `${file.name}: ${Math.floor(share * 100)}% sent` : `${file.name} is being checked…`;
        });
      } catch (error) {
        const { message } = error as Error;
        refused.push(message.includes(file.name) ? message : `${file.name}: ${message}`);
      }
    }
    status.textContent = '';
    if (refused.length === 0) {
      location.assign(form.dataset.next ?? '');
      return;
    }
    input.disabled = false;
    input.value = '';
    problem.textContent =
      refused.join(' ') + (refused.length < files.length ? ' The other files were added. Reload the page to see them.' : '');
  }

  async function send(file: File, onProgress: (share: number) => void): Promise<void> {
    if (file.size === 0) throw new Error('This file is empty.');
    onProgress(0);
    const { name: filename, type: content_type, size } = file;
    const fields = { filename, content_type, size: String(size) };
    const { upload_url, upload_fields, file_key } = (await ask('upload-url', fields)) as UploadTarget;
    await sendToStorage(upload_url, upload_fields, file, onProgress);
    onProgress(1);
    await ask('confirm', { file_key });
  }

  async function ask(step: string, fields: Record<string, string>): Promise<unknown> {
    const headers = { 'hx-request': 'true', 'x-csrf-token': token, accept: 'application/json' };
    const response = await fetch(`${form.dataset.upload}/${step}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    }).catch(() => null);
    if (response === null) throw new Error('We lost the connection. Try again.');
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.message ?? 'That didn’t work. Try again.');
    return answer;
  }
}

/** All fields first, the file last, to the storage's own address and without cookies. */
function sendToStorage(
  url: string,
  fields: Record<string, string>,
  file: File,
  onProgress: (share: number) => void,
): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', file);
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(Math.min(0.99, event.loaded / event.total));
    });
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Error(storageWords(request.status, request.responseText)));
    });
    request.addEventListener('error', () => reject(new Error('We lost the connection to the file storage. Try again.')));
    request.send(body);
  });
}

/** The storage answers with an XML document of another origin, which is searched but never parsed. */
function storageWords(status: number, text: string): string {
  const code = /<Code>\s*([A-Za-z0-9]{1,64})\s*<\/Code>/.exec(text)?.[1];
  if (code === 'EntityTooLarge' || status === 413) return 'This file is too large.';
  if (code === 'EntityTooSmall') return 'This file is empty, or it changed after you chose it.';
  if (status >= 500) return 'The file storage is busy. Wait a moment and try again.';
  return `The file storage refused it${code === undefined ? '' : ` (${code})`}. Try again.`;
}
