export { addBucketGauge } from './add-bucket-gauge.ts';
export {
  type AttachedFile,
  attachedFileColumns,
  attachFile,
  joinPicture,
  removeAttachedFiles,
  showAttachedFile,
} from './attach-file.ts';
export { beginUpload } from './begin-upload.ts';
export { confirmUpload } from './confirm-upload.ts';
export { cleanFilename } from './content/attachment-types.ts';
export { parseFileType } from './content/parse-file-type.ts';
export { createUploadPolicy, type UploadDescriptor } from './create-upload-policy.ts';
export {
  copyObject,
  createMissingBucket,
  deleteObjects,
  findObject,
  isEmptyBucket,
  objectSource,
  putObject,
  readObject,
  requireBucket,
} from './objects.ts';
export {
  confirmOwnFile,
  getOwnFiles,
  type OwnFilePurpose,
  type OwnFiles,
  openPhotoId,
  removeOwnFile,
} from './own-files.ts';
export { cleanPicture } from './pictures/clean-picture.ts';
export { UnusablePictureError, withoutMetadata } from './pictures/clean-pictures.ts';
export type { PictureTurn } from './pictures/picture-process.ts';
export { listReferencedKeys } from './referenced-keys.ts';
export { removeObjects } from './remove-objects.ts';
export { signDownloadUrl } from './sign-download-url.ts';
export { type SpooledFile, spoolFile } from './spool-file.ts';
export { closeStorage, createStorage, type Storage, type StorageSettings } from './storage.ts';
export { sweepObjects } from './sweep-objects.ts';
