import { type DomainError, invalid, TooLargeError } from '@case-platform/lib/errors';
import { asDomainError } from '@case-platform/lib/http/as-domain-error';
import { formFileName, readWholeForm } from '@case-platform/lib/http/whole-form';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { type SpooledFile, spoolFile } from '@case-platform/modules/storage';
import { FILE_TOO_LARGE, FILES_TOO_LARGE, TOO_MANY_FILES } from '@case-platform/words/files';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from '@case-platform/words/limits';
import type { FastifyRequest } from 'fastify';
import { CSRF_FIELD, isCsrfToken } from '../guards/own-requests.ts';

/** The files of a form, or why they were refused. Its text is in the request's body either way. */
export interface UploadedFiles {
  files: IncomingFile[];
  problem: DomainError | undefined;
}

/** Enough for a message of 10,000 characters of four bytes each, and the names around it. */
const FIELD_MAX_BYTES = 64 * 1024;
/**
 * For a form with attachments. Twice as much as is sent on is still read and dropped, so that the page can come back with its
 * text and say what is too large.
 */
export const ATTACHMENTS_BODY_MAX_BYTES = 2 * ATTACHMENTS_MAX_BYTES + 1024 * 1024;
const LIMITS = {
  fieldNameSize: 100,
  fieldSize: FIELD_MAX_BYTES,
  fields: 80,
  fileSize: ATTACHMENT_MAX_BYTES,
  files: ATTACHMENTS_MAX,
  parts: 100,
};

const uploads = new WeakMap<FastifyRequest, UploadedFiles & { spooled: SpooledFile[] }>();

/**
 * Reads a form with files before its schema is checked. The text becomes the body, in which a field that was sent more
 * than once, or is one of `lists`, is a list. `formRoute` handles an error with a file, so that the page can be shown
 * again with the text in it.
 */
export function readFormWithFiles({ csrfToken, lists = [] }: FormOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!request.isMultipart()) return;
    const upload: UploadedFiles & { spooled: SpooledFile[] } = { files: [], problem: undefined, spooled: [] };
    uploads.set(request, upload);
    const body: Record<string, string | string[]> = Object.fromEntries(lists.map((name) => [name, []]));
    request.body = body;
    try {
      for await (const part of readWholeForm(request.raw, () => request.parts({ limits: LIMITS }))) {
        if (part.type === 'field') addField(body, part.fieldname, String(part.value), part.valueTruncated);
        else {
          // The token comes first in the form, so that nothing is stored for a page that does not know it.
          const token = csrfToken(request);
          if (token === undefined || !isCsrfToken(body[CSRF_FIELD], token))
            throw invalid(CSRF_FIELD, 'We couldn’t read this form. Reload the page and try again.');
          await addFile(upload, part);
        }
      }
    } catch (error) {
      // The rest is read and discarded: browsers show no answer before they have sent everything.
      request.raw.unpipe();
      request.raw.resume();
      upload.problem = asFormProblem(error);
    }
  };
}

interface FormOptions {
  /** The token of the sender's session; a form of someone without a session is rejected. */
  csrfToken: (request: FastifyRequest) => string | undefined;
  lists?: readonly string[];
}

/** The files that `readFormWithFiles` has read. Disposing of the result deletes them from disk. */
export function uploadedFiles(request: FastifyRequest): UploadedFiles & AsyncDisposable {
  const { files, problem } = uploads.get(request) ?? { files: [], problem: undefined };
  return { files, problem, [Symbol.asyncDispose]: () => discardUploads(request) };
}

/** Deletes the files from disk, also for a request that was refused before it reached its route. */
export async function discardUploads(request: FastifyRequest): Promise<void> {
  const upload = uploads.get(request);
  uploads.delete(request);
  await Promise.all(upload?.spooled.map((file) => file.dispose()) ?? []);
}

function addField(body: Record<string, string | string[]>, name: string, value: string, truncated: boolean): void {
  if (truncated) throw invalid(name, 'This text is too long to send.');
  if (name === 'files' && value !== '') throw invalid('files', 'Each file needs a name.');
  const before = body[name];
  body[name] = before === undefined ? value : [before, value].flat();
}

type FilePart = { filename: string | undefined; mimetype: string; file: Parameters<typeof spoolFile>[0] };

async function addFile(upload: UploadedFiles & { spooled: SpooledFile[] }, part: FilePart): Promise<void> {
  const content = await spoolFile(part.file, { maxBytes: ATTACHMENT_MAX_BYTES });
  upload.spooled.push(content);
  if (upload.spooled.reduce((sum, file) => sum + file.size, 0) > ATTACHMENTS_MAX_BYTES) throw tooLarge();
  // A file input that was left empty still sends a part.
  const filename = formFileName(part.filename);
  if (filename === '' && content.size === 0) return;
  upload.files.push({ filename, contentType: part.mimetype, content });
}

function tooLarge(): TooLargeError {
  return new TooLargeError(FILES_TOO_LARGE, 'files_too_large');
}

function asFormProblem(error: unknown): DomainError {
  const { code } = error as { code?: string };
  if (code === 'FST_FILES_LIMIT') return invalid('files', TOO_MANY_FILES);
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new TooLargeError(FILE_TOO_LARGE, 'file_too_large');
  const problem = asDomainError(error);
  if (problem !== undefined) return problem;
  if (/unexpected end|malformed|premature|boundary/i.test((error as Error).message)) {
    return invalid('body', 'We didn’t receive the whole form. Please send it again.');
  }
  throw error;
}
