import { InvalidInputError, invalid, TooLargeError, UnsupportedTypeError } from '@case-platform/lib/errors';
import { formFileName, readWholeForm } from '@case-platform/lib/http/whole-form';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { spoolFile } from '@case-platform/modules/storage';
import { TOO_MANY_FILES } from '@case-platform/words/files';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX } from '@case-platform/words/limits';
import { fromApiUserType, type UserType } from '@case-platform/words/user-types';
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
const LIMITS = {
  fieldNameSize: 100,
  /** For 10,000 characters of four bytes each. */
  fieldSize: 64 * 1024,
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
  const fields = new Map<string, string>();
  const files: IncomingFile[] = [];
  await using spooled = new AsyncDisposableStack();
  try {
    for await (const part of readWholeForm(request.raw, () => request.parts({ limits: LIMITS }))) {
      if (part.type === 'file') {
        const content = spooled.use(await spoolFile(part.file, { maxBytes: ATTACHMENT_MAX_BYTES }));
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
  } catch (error) {
    throw asFormError(error);
  }
  const form = readFields(fields);
  const content = spooled.move();
  return { ...form, files, [Symbol.asyncDispose]: () => content.disposeAsync() };
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
    recipients: parseRecipients(fields.get('recipients')),
  };
}

function parseRecipients(text = ''): MessageForm['recipients'] {
  if (text.trim() === '') return undefined;
  try {
    return (JSON.parse(text) as { user_type: string; user_id: number }[]).map(({ user_type, user_id }) => {
      const type = fromApiUserType(user_type);
      if (type === undefined || !Number.isSafeInteger(user_id) || user_id < 1) throw new TypeError();
      return { user_type: type, user_id };
    });
  } catch {
    throw invalid('recipients', 'recipients must be a JSON list of {user_type, user_id}.');
  }
}
