import { InvalidInputError, invalid, TooLargeError, UnsupportedTypeError } from '@case-platform/lib/errors';
import { formFileName, readWholeForm } from '@case-platform/lib/http/whole-form';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { type SpooledFile, spoolFile } from '@case-platform/modules/storage';
import { FILES_TOO_LARGE, TOO_MANY_FILES } from '@case-platform/words/files';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from '@case-platform/words/limits';
import { fromApiUserType, type UserType } from '@case-platform/words/user-types';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';

/** The fields of a message form, and its files on disk. Dispose of it when done, which deletes the files. */
export interface MessageForm extends AsyncDisposable {
  message: string;
  subject: string | undefined;
  case_id: number | undefined;
  recipients: { user_type: UserType; user_id: number }[] | undefined;
  files: IncomingFile[];
}

const FIELDS = new Set(['message', 'subject', 'case_id', 'recipients']);
/** A message of 10,000 characters of four bytes each, and the names around it. */
const FIELD_MAX_BYTES = 64 * 1024;
/** For everything except files: far more than a form needs, and far less than would do harm. */
const FORM_SLACK_BYTES = 1024 * 1024;
const LIMITS = {
  fieldNameSize: 100,
  fieldSize: FIELD_MAX_BYTES,
  fields: 20,
  fileSize: ATTACHMENT_MAX_BYTES,
  files: ATTACHMENTS_MAX,
  parts: 40,
};

/**
 * Reads `multipart/form-data` as it streams in; nothing is whole in memory (FILE-5).
 * @throws {UnsupportedTypeError} for another content type; {TooLargeError} and {InvalidInputError} for exceeded limits.
 */
export async function readMessageForm(request: FastifyRequest): Promise<MessageForm> {
  if (!request.isMultipart()) throw new UnsupportedTypeError('Send the message as multipart/form-data.');
  if (Number(request.headers['content-length'] ?? 0) > ATTACHMENTS_MAX_BYTES + FORM_SLACK_BYTES) throw tooLarge();
  const fields = new Map<string, string>();
  const spooled: SpooledFile[] = [];
  const dispose = async () => void (await Promise.all(spooled.map((file) => file.dispose())));
  try {
    const files: IncomingFile[] = [];
    let total = 0;
    for await (const part of readWholeForm(request.raw, () => request.parts({ limits: LIMITS }))) {
      if (part.type === 'file') {
        const content = await spool(part);
        spooled.push(content);
        total += content.size;
        if (total > ATTACHMENTS_MAX_BYTES) throw tooLarge();
        // A file input that was left empty still sends a part.
        const filename = formFileName(part.filename);
        if (filename === '' && content.size === 0) continue;
        files.push({ filename, contentType: part.mimetype, content });
      } else if (part.fieldname === 'files' && part.value !== '') {
        throw invalid('files', 'files are sent with a file name each.');
      } else if (FIELDS.has(part.fieldname)) {
        if (part.valueTruncated) throw invalid(part.fieldname, `${part.fieldname} is too long.`);
        if (fields.has(part.fieldname)) throw invalid(part.fieldname, `${part.fieldname} was sent twice.`);
        fields.set(part.fieldname, String(part.value));
      }
    }
    return { ...readFields(fields), files, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw asFormError(error);
  }
}

function spool(part: MultipartFile): Promise<SpooledFile> {
  return spoolFile(part.file, { maxBytes: ATTACHMENT_MAX_BYTES });
}

function tooLarge(): TooLargeError {
  return new TooLargeError(FILES_TOO_LARGE, 'files_too_large');
}

function asFormError(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code === 'FST_FILES_LIMIT') return invalid('files', TOO_MANY_FILES);
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') return invalid('body', 'The form has too many fields.');
  if (code?.startsWith('FST_') || error instanceof InvalidInputError || error instanceof TooLargeError) return error;
  const { message = '' } = error as Error;
  return /unexpected end|malformed|premature|boundary|^aborted$/i.test(message)
    ? invalid('body', 'The form is not complete.')
    : error;
}

function readFields(fields: Map<string, string>): Pick<MessageForm, 'message' | 'subject' | 'case_id' | 'recipients'> {
  const caseId = fields.get('case_id')?.trim() ?? '';
  if (caseId !== '' && !/^[1-9]\d{0,14}$/.test(caseId)) throw invalid('case_id', 'case_id must be an integer.');
  return {
    message: fields.get('message') ?? '',
    subject: fields.get('subject'),
    case_id: caseId === '' ? undefined : Number(caseId),
    recipients: readRecipients(fields.get('recipients')),
  };
}

function readRecipients(text: string | undefined): MessageForm['recipients'] {
  if (text === undefined || text.trim() === '') return undefined;
  const rejection = invalid('recipients', 'recipients must be a JSON list of {user_type, user_id}.');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw rejection;
  }
  if (!Array.isArray(list)) throw rejection;
  return list.map((entry: unknown) => {
    const { user_type, user_id } = (entry ?? {}) as { user_type?: unknown; user_id?: unknown };
    const type = typeof user_type === 'string' ? fromApiUserType(user_type) : undefined;
    if (type === undefined || !Number.isSafeInteger(user_id) || Number(user_id) < 1) throw rejection;
    return { user_type: type, user_id: Number(user_id) };
  });
}
