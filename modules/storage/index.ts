export { beginUpload, type NewUpload, type UploadBinding } from './begin-upload.ts';
export type { ByteSource } from './byte-source.ts';
export {
  type ConfirmedFile,
  confirmUpload,
  UPLOAD_CONFIRM_TTL,
  type UploadToConfirm,
} from './confirm-upload.ts';
export {
  ATTACHMENT_MAX_BYTES,
  ATTACHMENT_TYPES,
  ATTACHMENT_TYPES_IN_WORDS,
  ATTACHMENTS_MAX_BYTES,
  ATTACHMENTS_MAX_COUNT,
  type AttachmentType,
  cleanFilename,
  FILENAME_MAX_LENGTH,
  findClaimedType,
} from './content/attachment-types.ts';
export { type CheckedContent, type ClaimedFile, checkContent } from './content/check-content.ts';
export {
  createUploadPolicy,
  UPLOAD_POLICY_TTL,
  type UploadDescriptor,
  type UploadPolicyInput,
} from './create-upload-policy.ts';
export {
  checkBucket,
  copyObject,
  deleteObjects,
  ensureBucket,
  findObject,
  type ObjectHead,
  objectSource,
  type PutObjectInput,
  putObject,
  readObject,
} from './objects.ts';
export {
  confirmOwnFile,
  getOwnFiles,
  type OwnFile,
  type OwnFilePurpose,
  type OwnFiles,
  openPhotoId,
  removeOwnFile,
} from './own-files.ts';
export { cleanPicture, type PictureContext } from './pictures/clean-picture.ts';
export {
  describePictures,
  discardFiles,
  type PictureInfo,
  type PictureState,
  withoutMetadata,
} from './pictures/pictures.ts';
export { DOWNLOAD_URL_TTL, type DownloadUrlInput, type SignedUrl, signDownloadUrl } from './sign-download-url.ts';
export { type SpooledFile, spoolFile } from './spool-file.ts';
export { closeStorage, createStorage, type Storage, type StorageSettings } from './storage.ts';
export { sweepObjects } from './sweep-objects.ts';
export { UPLOAD_PURPOSES, type UploadLimits, type UploadPurpose } from './upload-purposes.ts';
