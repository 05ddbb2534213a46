import { randomUUID } from 'node:crypto';
import { InvalidInputError, invalid, TooLargeError } from '@case-platform/lib/errors';
import {
  cleanFilename,
  deleteObjects,
  type PictureTurn,
  parseFileType,
  putObject,
  type SpooledFile,
  type Storage,
  UnusablePictureError,
  withoutMetadata,
} from '@case-platform/modules/storage';
import { FILES_TOO_LARGE, TOO_MANY_FILES } from '@case-platform/words/files';
import { ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from '@case-platform/words/limits';

/** A received file in a temporary file, not in the object store yet. */
export interface IncomingFile {
  filename: string;
  contentType: string;
  content: SpooledFile;
}

/** A file in the object store without a row yet. */
export interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  storage_key: string;
}

/**
 * Checks all files and removes metadata such as the location from pictures before the first one is stored. If storing a file
 * fails, it removes the files stored so far.
 * @param turn the sender, and the signal that stops the work.
 * @throws {InvalidInputError} `picture_unreadable` for a picture whose metadata cannot be removed.
 */
export async function storeAttachments(
  storage: Storage,
  prefix: string,
  files: readonly IncomingFile[],
  turn: PictureTurn,
): Promise<StoredFile[]> {
  if (files.length > ATTACHMENTS_MAX) throw invalid('files', TOO_MANY_FILES);
  const total = files.reduce((sum, file) => sum + file.content.size, 0);
  if (total > ATTACHMENTS_MAX_BYTES) throw new TooLargeError(FILES_TOO_LARGE, 'files_too_large');
  const checked: (IncomingFile & { extension: string })[] = [];
  for (const { filename, contentType, content } of files) {
    const name = cleanFilename(filename);
    checked.push({ content, ...(await parseFileType(content, { filename: name, contentType })) });
  }
  await using passedOn = await withoutMetadata(checked, turn).catch((error) => {
    throw error instanceof UnusablePictureError ? unreadable(checked[error.index]?.filename ?? '') : error;
  });
  const stored: StoredFile[] = [];
  try {
    for (const [index, content] of passedOn.contents.entries()) {
      const { filename, contentType, extension } = checked[index] as (typeof checked)[number];
      const storage_key = `${prefix}/${randomUUID()}.${extension}`;
      stored.push({ filename, content_type: contentType, size: content.size, storage_key });
      await putObject(storage, { key: storage_key, body: content.open(), size: content.size, contentType });
    }
  } catch (error) {
    await removeAttachments(storage, stored);
    throw error;
  }
  return stored;
}

/** Removes files that belong to no message. The sweep removes them later if this fails. */
export async function removeAttachments(storage: Storage, files: readonly StoredFile[]): Promise<void> {
  const keys = files.map((file) => file.storage_key);
  await deleteObjects(storage, keys).catch(() => {});
}

function unreadable(filename: string): InvalidInputError {
  const message = `We can’t read “${filename}” as a picture, so we can’t remove its location. Open it, save it again, and attach the new file.`;
  return new InvalidInputError([{ field: 'files', message }], 'picture_unreadable');
}
