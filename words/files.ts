import { counted, numberWords } from './counts.ts';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from './limits.ts';

const MIB = 1024 * 1024;

/** The kinds of files that can be sent, by extension (FILE-2). */
const KINDS: Record<string, string> = {
  pdf: 'PDF',
  jpg: 'JPEG image',
  jpeg: 'JPEG image',
  jfif: 'JPEG image',
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

export const ALL_EXTENSIONS: readonly string[] = Object.keys(KINDS);

export const FILE_KINDS_IN_WORDS = 'PDF, JPEG, PNG, GIF, WebP, HEIC, plain text, CSV, Word and Excel files';

/** The files that one kind of upload accepts. */
export interface FileRules {
  maxBytes: number;
  /** In lower case, without the dot. */
  extensions: readonly string[];
  inWords: string;
}

/** For a file dialog: `.pdf,.jpg`. The default is everything that a message may have attached. */
export function acceptedFiles(extensions: readonly string[] = ALL_EXTENSIONS): string {
  return extensions.map((extension) => `.${extension}`).join(',');
}

/** In lower case, without the dot. */
export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1 || name.length).toLowerCase();
}

/** Null for a kind of file that cannot be sent. */
export function fileKindWords(name: string): string | null {
  const extension = extensionOf(name);
  return Object.hasOwn(KINDS, extension) ? (KINDS[extension] ?? null) : null;
}

/** Browsers can show these content types in a page; most cannot show HEIC. */
export function isShownPicture(contentType: string): boolean {
  return ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(contentType);
}

/** A size for people: "12 bytes", "278 KB", "25.0 MB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  if (bytes < MIB) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / MIB).toFixed(1)} MB`;
}

/** A size limit: "25 MB". */
export function sizeLimitWords(bytes: number): string {
  return bytes < MIB ? counted(bytes, 'byte') : `${numberWords(bytes / MIB)} MB`;
}

export const TOO_MANY_FILES = `A message can have up to ${ATTACHMENTS_MAX} files.`;
export const FILE_TOO_LARGE = `Each file can be up to ${sizeLimitWords(ATTACHMENT_MAX_BYTES)}.`;
export const FILES_TOO_LARGE = `All files together can be up to ${sizeLimitWords(ATTACHMENTS_MAX_BYTES)}.`;
