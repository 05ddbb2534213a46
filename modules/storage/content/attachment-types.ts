import { cleanLine } from '@case-platform/lib/text/human-text';

/** The end of a file name that names its type. */
const EXTENSION = /\.([^.\s]{1,10})$/;
/** The longest file name, in characters. */
const FILENAME_MAX_LENGTH = 200;

/** The way to recognize a type of file by its content. */
export type ContentMark =
  | { readonly by: 'signature'; readonly types: readonly string[] }
  | { readonly by: 'open-xml'; readonly mainPart: string }
  | { readonly by: 'compound-file'; readonly streams: readonly string[] }
  | { readonly by: 'text' };

export interface AttachmentType {
  /** The type that is stored and served. */
  readonly contentType: string;
  /** Lowercase without the dot; storage keys use the first one. */
  readonly extensions: readonly [string, ...string[]];
  /** Other content types that browsers send for this type of file. */
  readonly aliases: readonly string[];
  readonly mark: ContentMark;
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

/** Everything that can be attached to a message (FILE-2), in the order in which messages name it. */
export const ATTACHMENT_TYPES: readonly AttachmentType[] = [
  signature('application/pdf', ['pdf'], ['application/x-pdf']),
  signature('image/jpeg', ['jpg', 'jpeg', 'jfif'], ['image/jpg', 'image/pjpeg']),
  signature('image/png', ['png'], ['image/x-png', 'image/apng']),
  signature('image/gif', ['gif']),
  signature('image/webp', ['webp']),
  signature('image/heic', ['heic', 'heif'], ['image/heif', 'image/heic-sequence', 'image/heif-sequence']),
  { contentType: 'text/plain', extensions: ['txt', 'text'], aliases: [], mark: { by: 'text' } },
  {
    contentType: 'text/csv',
    extensions: ['csv'],
    // Windows gives a CSV file the type of the program that opens it.
    aliases: ['application/csv', 'text/x-csv', 'text/comma-separated-values', 'text/plain', 'application/vnd.ms-excel'],
    mark: { by: 'text' },
  },
  {
    contentType: 'application/msword',
    extensions: ['doc'],
    aliases: [],
    mark: { by: 'compound-file', streams: ['WordDocument'] },
  },
  {
    contentType: `${OPEN_XML}.wordprocessingml.document`,
    extensions: ['docx'],
    aliases: [],
    mark: { by: 'open-xml', mainPart: `${OPEN_XML}.wordprocessingml.document.main+xml` },
  },
  {
    contentType: 'application/vnd.ms-excel',
    extensions: ['xls'],
    aliases: [],
    mark: { by: 'compound-file', streams: ['Workbook', 'Book'] },
  },
  {
    contentType: `${OPEN_XML}.spreadsheetml.sheet`,
    extensions: ['xlsx'],
    aliases: [],
    mark: { by: 'open-xml', mainPart: `${OPEN_XML}.spreadsheetml.sheet.main+xml` },
  },
];

function signature(contentType: string, extensions: [string, ...string[]], aliases: string[] = []): AttachmentType {
  return { contentType, extensions, aliases, mark: { by: 'signature', types: [contentType, ...aliases] } };
}

/**
 * Returns the type that a file claims to be, or `null` if it is not one of `types` or contradicts itself (`scan.pdf` sent as
 * `image/png`). A name without an extension relies on its content type. Programs name many other content types, or none, which
 * form parsers read as `text/plain` (RFC 7578, 4.4), so only a type of another kind is a contradiction. Which kind of picture it
 * is, its content says.
 */
export function findClaimedType(
  claim: { filename: string; contentType: string },
  types: readonly AttachmentType[] = ATTACHMENT_TYPES,
): AttachmentType | null {
  const extension = EXTENSION.exec(claim.filename)?.[1]?.toLowerCase();
  const contentType = (claim.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const isNamed = (type: AttachmentType) => type.contentType === contentType || type.aliases.includes(contentType);
  if (extension === undefined) return types.find(isNamed) ?? null;
  const typeByName = types.find((type) => type.extensions.includes(extension));
  if (typeByName === undefined) return null;
  if (contentType === 'text/plain' || isNamed(typeByName)) return typeByName;
  const isOther = (type: AttachmentType) => isNamed(type) && !(isPicture(type) && isPicture(typeByName));
  return ATTACHMENT_TYPES.some(isOther) ? null : typeByName;
}

export function isPicture({ contentType }: AttachmentType): boolean {
  return contentType.startsWith('image/');
}

/** The name with the extension of its true type: a HEIC photo that was sent as `photo.jpg` is `photo.heic` (FILE-9). */
export function withExtensionOf(filename: string, { extensions }: AttachmentType): string {
  const extension = EXTENSION.exec(filename)?.[1]?.toLowerCase();
  if (extension === undefined || extensions.includes(extension)) return filename;
  return cleanFilename(`${filename.slice(0, -extension.length)}${extensions[0]}`);
}

/**
 * Returns the file name as it is stored and shown (FILE-7): the last part of a path, without control characters or direction
 * marks, with at most `FILENAME_MAX_LENGTH` characters including its extension. Never empty.
 */
export function cleanFilename(filename: string): string {
  // Direction marks would display `fdp.exe` as `exe.pdf`.
  const visible = cleanLine(filename.split(/[/\\]/).at(-1) ?? '');
  if (visible === '' || /^\.+$/.test(visible)) return 'file';
  if (visible.length <= FILENAME_MAX_LENGTH) return visible;
  const extension = /\.[^.\s]{1,10}$/.exec(visible)?.[0] ?? '';
  return `${visible.slice(0, FILENAME_MAX_LENGTH - extension.length).toWellFormed()}${extension}`;
}
