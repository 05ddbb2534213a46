import { InvalidInputError } from '@case-platform/lib/errors';
import { FILE_KINDS_IN_WORDS } from '@case-platform/words/files';
import { type ByteSource, readBytes } from '../byte-source.ts';
import {
  ATTACHMENT_TYPES,
  type AttachmentType,
  type ContentMark,
  findClaimedType,
  isPicture,
  withExtensionOf,
} from './attachment-types.ts';
import { hasCompoundStream } from './compound-file.ts';
import { detectType, SIGNATURE_BYTES } from './detect-type.ts';
import { isPlainText } from './is-plain-text.ts';
import { hasContentType } from './open-xml.ts';

export interface ClaimedFile {
  filename: string;
  contentType: string;
  /** The name of the input field in errors; `files` by default. */
  field?: string;
}

export interface FileType {
  /** The content type that the file is stored and served with. */
  contentType: string;
  /** Lowercase without the dot, for the storage key. */
  extension: string;
  /** The claimed name, with the extension of the true type (FILE-9). */
  filename: string;
}

/**
 * Detects the type of a file from its bytes, and requires that it matches the name and content type and is one of `types`
 * (FILE-2); a picture may have the name of another kind of picture (FILE-9). Reads only as far as needed, and never the whole file
 * into memory.
 * @throws {InvalidInputError} with code `file_type` (a type that is not accepted), `file_empty`, or `file_content` (the content
 * does not match the name).
 */
export async function parseFileType(
  source: ByteSource,
  claim: ClaimedFile,
  types: readonly AttachmentType[] = ATTACHMENT_TYPES,
): Promise<FileType> {
  const type = findClaimedType(claim, types);
  if (type === null) throw fileProblem('file_type', claim, `can’t be sent. You can attach ${words(types)}.`);
  if (source.size === 0) throw fileProblem('file_empty', claim, 'is empty.');
  const trueType = await requireType(source, type, { claimed: claim, types });
  return {
    contentType: trueType.contentType,
    extension: trueType.extensions[0],
    filename: withExtensionOf(claim.filename, trueType),
  };
}

async function requireType(
  source: ByteSource,
  type: AttachmentType,
  { claimed, types }: { claimed: ClaimedFile; types: readonly AttachmentType[] },
): Promise<AttachmentType> {
  if (await hasMark(source, type.mark)) return type;
  const other = isPicture(type) ? await findPictureType(source) : undefined;
  if (other !== undefined && types.includes(other)) return other;
  const name = (one: AttachmentType) => one.extensions[0].toUpperCase();
  if (other !== undefined) throw fileProblem('file_type', claimed, `is a ${name(other)} picture. Choose ${words(types)}.`);
  if (type.mark.by === 'open-xml' && (await hasCompoundStream(source, ['EncryptedPackage'])))
    throw fileProblem(
      'file_content',
      claimed,
      'has a password, so we can’t check it. Save it without the password and try again.',
    );
  throw fileProblem('file_content', claimed, `isn’t the kind of file its name says (${name(type)}).`);
}

async function findPictureType(source: ByteSource): Promise<AttachmentType | undefined> {
  const detected = detectType(await readBytes(source, 0, SIGNATURE_BYTES)) ?? '';
  return ATTACHMENT_TYPES.find((type) => isPicture(type) && type.mark.by === 'signature' && type.mark.types.includes(detected));
}

async function hasMark(source: ByteSource, mark: ContentMark): Promise<boolean> {
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

function fileProblem(code: string, { filename, field = 'files' }: ClaimedFile, why: string): InvalidInputError {
  return new InvalidInputError([{ field, message: `"${filename}" ${why}` }], code);
}
