import { ATTACHMENT_TYPES, type AttachmentType } from './content/attachment-types.ts';

const MIB = 1024 * 1024;

export interface UploadLimits {
  /** Largest file, in bytes. */
  readonly maxBytes: number;
  readonly types: readonly AttachmentType[];
}

const named = (...extensions: string[]) => ATTACHMENT_TYPES.filter((type) => extensions.includes(type.extensions[0]));

/**
 * What may be uploaded directly, by purpose. A profile picture must be one that every browser shows and the worker can make
 * smaller, hence no HEIC; browsers on iPhones convert theirs when a page asks for JPEG.
 */
export const UPLOAD_PURPOSES = {
  profile_picture: { maxBytes: 10 * MIB, types: named('jpg', 'png', 'webp') },
  photo_id: { maxBytes: 25 * MIB, types: named('pdf', 'jpg', 'png', 'webp', 'heic') },
  case_document: { maxBytes: 100 * MIB, types: ATTACHMENT_TYPES },
  disbursement_receipt: { maxBytes: 25 * MIB, types: ATTACHMENT_TYPES },
} as const satisfies Record<string, UploadLimits>;
export type UploadPurpose = keyof typeof UPLOAD_PURPOSES;

/** Uploads wait here for their confirmation. */
export const UPLOADS_PREFIX = 'uploads/';
/** Confirmed files lie here, by purpose and subject. */
export const FILES_PREFIX = 'files/';
