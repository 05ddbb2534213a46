import { counted, numberWords } from './counts.ts';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from './limits.ts';

const MIB = 1024 * 1024;

/** The kinds of file that can be sent, by the ends of their names (FILE-2). */
const KINDS: Record<string, string> = {
  pdf: 'PDF',
  jpg: 'JPEG image',
  jpeg: 'JPEG image',
  png: 'PNG image',
  gif: 'GIF image',
  webp: 'WebP image',
  heic: 'HEIC image',
  heif: 'HEIC image',
  txt: 'Text',
  text: 'Text',
  csv: 'CSV table',
  doc: 'Word document',
  docx: 'Word document',
  xls: 'Excel workbook',
  xlsx: 'Excel workbook',
};

/** Every kind that may be sent, by the end of its name. */
export const ALL_EXTENSIONS: readonly string[] = Object.keys(KINDS);

/** The same kinds as a person reads them. */
export const FILE_KINDS_IN_WORDS = 'PDF, JPEG, PNG, GIF, WebP, HEIC, plain text, CSV, Word and Excel files';

/** What may be sent in one place. */
export interface FileRules {
  maxBytes: number;
  /** The ends of names, in lower case and without the dot. */
  extensions: readonly string[];
  inWords: string;
}

/** For a file dialog: `.pdf,.jpg`. By default everything that a message may carry. */
export function acceptedFiles(extensions: readonly string[] = ALL_EXTENSIONS): string {
  return extensions.map((extension) => `.${extension}`).join(',');
}

/** The end of a file's name in lower case, without the dot. */
export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1 || name.length).toLowerCase();
}

/** The kind of a file in words, by its name; null when it cannot be sent. */
export function fileKindWords(name: string): string | null {
  const extension = extensionOf(name);
  return Object.hasOwn(KINDS, extension) ? (KINDS[extension] ?? null) : null;
}

/** Whether browsers show a picture of this content type in a page; HEIC is none of them. */
export function isShownPicture(contentType: string): boolean {
  return ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(contentType);
}

/** A size as people read it: "12 bytes", "278 KB", "25.0 MB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  if (bytes < MIB) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / MIB).toFixed(1)} MB`;
}

/** The largest size that is possible somewhere: "25 MB". */
export function sizeLimitWords(bytes: number): string {
  return bytes < MIB ? counted(bytes, 'byte') : `${numberWords(bytes / MIB)} MB`;
}

/** What somebody hears who attaches too much to a message. */
export const TOO_MANY_FILES = `A message can have up to ${ATTACHMENTS_MAX} files.`;
export const FILE_TOO_LARGE = `Each file can be up to ${sizeLimitWords(ATTACHMENT_MAX_BYTES)}.`;
export const FILES_TOO_LARGE = `All files together can be up to ${sizeLimitWords(ATTACHMENTS_MAX_BYTES)}.`;
