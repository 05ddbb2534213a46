import 'client-only';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError } from '../api/api-error.ts';
import type { UploadDescriptor } from '../api/api-shapes.ts';
import { storageErrorWords } from './storage-error.ts';

/** Sent if the browser does not know the type; the API then uses the file's name. */
const UNKNOWN_TYPE = 'application/octet-stream';

interface DirectUpload {
  /** The path without `/upload-url` and `/confirm`. */
  path: `/api/${string}`;
  signal: AbortSignal;
  /** Gets 0 to 1. At 1 everything was sent and is being checked. */
  onProgress: (share: number) => void;
}

/**
 * Takes the three steps of a direct upload (UPLOAD-1). Each attempt begins with the first one. Resolves with the answer to the
 * confirmation.
 * @throws {ApiError} with a sentence for people, also for errors of the storage, or an `AbortError` after a cancellation.
 */
export async function uploadDirectly<T>(file: File, { path, signal, onProgress }: DirectUpload): Promise<T> {
  const descriptor = await apiBrowser<UploadDescriptor>(`${path}/upload-url`, {
    method: 'POST',
    body: { filename: file.name, content_type: file.type || UNKNOWN_TYPE, size: file.size },
    signal,
  });
  await sendToStorage(descriptor, file, { signal, onProgress });
  const { file_key } = descriptor;
  return apiBrowser<T>(`${path}/confirm`, { method: 'POST', body: { file_key }, signal });
}

/** Takes step 2. The fields come before the file (UPLOAD-3), and the storage gets no Authorization header and no cookies. */
function sendToStorage(
  { upload_url, upload_fields }: UploadDescriptor,
  file: File,
  { signal, onProgress }: Pick<DirectUpload, 'signal' | 'onProgress'>,
): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(upload_fields)) form.append(name, value);
  form.append('file', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', upload_url);
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) resolve();
      else reject(new ApiError(status, storageErrorWords(status, responseText)));
    });
    request.addEventListener('error', () => reject(new ApiError(0, 'The connection to our file storage dropped.')));
    request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
    if (signal.aborted) return reject(new DOMException('Cancelled', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
