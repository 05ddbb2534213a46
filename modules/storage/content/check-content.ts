import { InvalidInputError } from '@case-platform/lib/errors';
import { FILE_KINDS_IN_WORDS } from '@case-platform/words/files';
import { type ByteSource, readBytes } from '../byte-source.ts';
import { ATTACHMENT_TYPES, type AttachmentType, type ContentMark, findClaimedType } from './attachment-types.ts';
import { hasCompoundStream } from './compound-file.ts';
import { detectType, SIGNATURE_BYTES } from './detect-type.ts';
import { isPlainText } from './is-plain-text.ts';
import { hasContentType } from './open-xml.ts';

export interface ClaimedFile {
  filename: string;
  contentType: string;
  /** The input's field that an error names. Default `files`. */
  field?: string;
}

export interface CheckedContent {
  /** The one content type that the file is stored and served under. */
  contentType: string;
  /** Lower case without the dot, for the storage key. */
  extension: string;
}

/**
 * Tells what a file is from its bytes and refuses it unless that is what its name and content type say and one of `types`.
 * Reads only as far as needed, never into memory as a whole.
 * @throws {InvalidInputError} with code `file_type` (a kind that is not accepted), `file_empty` or `file_content` (the
 *   content is something else than the name says).
 */
export async function checkContent(
  source: ByteSource,
  claimed: ClaimedFile,
  types: readonly AttachmentType[] = ATTACHMENT_TYPES,
): Promise<CheckedContent> {
  const type = findClaimedType(claimed, types);
  if (type === null) throw refused('file_type', claimed, `can’t be sent. You can attach ${words(types)}.`);
  if (source.size === 0) throw refused('file_empty', claimed, 'is empty.');
  if (!(await bears(source, type.mark))) {
    throw refused(
      'file_content',
      claimed,
      `isn’t the kind of file its name says (${type.extensions[0].toUpperCase()}).`,
    );
  }
  return { contentType: type.contentType, extension: type.extensions[0] };
}

async function bears(source: ByteSource, mark: ContentMark): Promise<boolean> {
  switch (mark.by) {
    case 'signature':
      return mark.types.includes(detectType(await readBytes(source, 0, SIGNATURE_BYTES)) ?? '');
    case 'open-xml':
      return hasContentType(source, mark.mainPart);
    case 'compound-file':
      return hasCompoundStream(source, mark.streams);
    case 'text':
      return isPlainText(source);
  }
}

function words(types: readonly AttachmentType[]): string {
  if (types === ATTACHMENT_TYPES) return FILE_KINDS_IN_WORDS;
  return types.map((type) => type.extensions[0].toUpperCase()).join(', ');
}

function refused(code: string, { filename, field = 'files' }: ClaimedFile, why: string): InvalidInputError {
  return new InvalidInputError([{ field, message: `"${filename}" ${why}` }], code);
}
