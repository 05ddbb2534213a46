import { sizeWords } from '@case-platform/words/files';
import { ACCEPTED, fileTypeWords } from './file-limits.ts';

const MIB = 1024 * 1024;

/** What one place takes. The API decides; this tells people before they wait for an upload. */
export interface UploadKind {
  maxBytes: number;
  /** Extensions for the file dialog. */
  accept: string;
  inWords: string;
}

export const PICTURE: UploadKind = {
  maxBytes: 10 * MIB,
  accept: '.jpg,.jpeg,.png,.webp',
  inWords: 'JPEG, PNG or WebP',
};
export const PHOTO_ID: UploadKind = {
  maxBytes: 25 * MIB,
  accept: '.pdf,.jpg,.jpeg,.png,.webp,.heic,.heif',
  inWords: 'PDF, JPEG, PNG, WebP or HEIC',
};
export const RECEIPT: UploadKind = {
  maxBytes: 25 * MIB,
  accept: ACCEPTED,
  inWords: 'PDF, pictures, plain text, CSV, Word or Excel',
};
export const CASE_DOCUMENT: UploadKind = {
  maxBytes: 100 * MIB,
  accept: ACCEPTED,
  inWords: 'PDF, pictures, plain text, CSV, Word or Excel',
};

/** Why this file cannot be sent here, or null. */
export function refusalOf(file: { name: string; size: number }, kind: UploadKind): string | null {
  const extension = file.name.slice(file.name.lastIndexOf('.')).toLowerCase();
  if (!kind.accept.split(',').includes(extension) || fileTypeWords(file.name) === null) {
    return `"${file.name}" cannot be used here. Choose ${kind.inWords}.`;
  }
  if (file.size === 0) return `"${file.name}" is empty.`;
  if (file.size > kind.maxBytes) {
    return `"${file.name}" is ${sizeWords(file.size)}. A file may have at most ${kind.maxBytes / MIB} MB here.`;
  }
  return null;
}

/** What the first step of an upload is told. A browser that does not know the type says so in its own way. */
export function uploadBody({ name, type, size }: { name: string; type: string; size: number }) {
  return { filename: name, content_type: type === '' ? 'application/octet-stream' : type, size };
}
