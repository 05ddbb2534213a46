import { ALL_EXTENSIONS, type FileRules } from './files.ts';

const MIB = 1024 * 1024;

const ANY = { extensions: ALL_EXTENSIONS, inWords: 'PDF, pictures, plain text, CSV, Word or Excel' };

/**
 * The files accepted for each purpose. A profile picture must be in a format that every browser shows and the worker can resize,
 * so not HEIC; browsers on iPhones convert HEIC when a page asks for JPEG.
 */
export const UPLOADS = {
  profile_picture: { maxBytes: 10 * MIB, extensions: ['jpg', 'jpeg', 'jfif', 'png', 'webp'], inWords: 'JPEG, PNG or WebP' },
  photo_id: {
    maxBytes: 25 * MIB,
    extensions: ['pdf', 'jpg', 'jpeg', 'jfif', 'png', 'webp', 'heic', 'heif'],
    inWords: 'PDF, JPEG, PNG, WebP or HEIC',
  },
  case_document: { maxBytes: 100 * MIB, ...ANY },
  disbursement_receipt: { maxBytes: 25 * MIB, ...ANY },
} as const satisfies Record<string, FileRules>;
