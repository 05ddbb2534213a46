import { UPLOADS } from '@case-platform/words/uploads';
import { ATTACHMENT_TYPES, type AttachmentType } from './content/attachment-types.ts';

/** The rules of direct uploads, by purpose. */
export const UPLOAD_PURPOSES = {
  profile_picture: rulesOf('profile_picture'),
  photo_id: rulesOf('photo_id'),
  case_document: rulesOf('case_document'),
  disbursement_receipt: rulesOf('disbursement_receipt'),
};
export type UploadPurpose = keyof typeof UPLOAD_PURPOSES;

/** The largest size in bytes, and the allowed types. */
function rulesOf(purpose: keyof typeof UPLOADS): { maxBytes: number; types: readonly AttachmentType[] } {
  const { maxBytes, extensions } = UPLOADS[purpose];
  return { maxBytes, types: ATTACHMENT_TYPES.filter((type) => extensions.some((one) => one === type.extensions[0])) };
}

/** Uploads wait here for their confirmation. */
export const UPLOADS_PREFIX = 'uploads/';
/** The prefix of confirmed files, followed by purpose and subject. */
export const FILES_PREFIX = 'files/';
