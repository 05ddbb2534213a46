import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { invalid, TooLargeError } from '@case-platform/lib/errors';
import {
  type ByteSource,
  checkContent,
  cleanFilename,
  deleteObjects,
  putObject,
  type Storage,
  withoutMetadata,
} from '@case-platform/modules/storage';
import { FILES_TOO_LARGE, TOO_MANY_FILES } from '@case-platform/words/files';
import { ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from '@case-platform/words/limits';

/** A file as it came in, spooled: nothing of it is in the storage yet. */
export interface IncomingFile {
  filename: string;
  contentType: string;
  content: ByteSource;
}

/** A file that lies in the storage and has no row yet. */
export interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  storage_key: string;
}

/** Checks all files before the first one is stored; pictures lose what they say about their place; removes what was stored when a later one fails. */
export async function storeAttachments(
  storage: Storage,
  prefix: string,
  files: readonly IncomingFile[],
): Promise<StoredFile[]> {
  if (files.length > ATTACHMENTS_MAX) throw invalid('files', TOO_MANY_FILES);
  const total = files.reduce((sum, file) => sum + file.content.size, 0);
  if (total > ATTACHMENTS_MAX_BYTES) throw new TooLargeError(FILES_TOO_LARGE);
  const checked: { file: StoredFile; open: () => Readable }[] = [];
  for (const { filename, contentType, content } of files) {
    const name = cleanFilename(filename);
    const found = await checkContent(content, { filename: name, contentType });
    const storage_key = `${prefix}/${randomUUID()}.${found.extension}`;
    const { size, open } = await withoutMetadata(content, found.contentType);
    checked.push({ file: { filename: name, content_type: found.contentType, size, storage_key }, open });
  }
  const stored: StoredFile[] = [];
  try {
    for (const { file, open } of checked) {
      stored.push(file);
      await putObject(storage, {
        key: file.storage_key,
        body: open(),
        size: file.size,
        contentType: file.content_type,
      });
    }
  } catch (error) {
    await deleteObjects(
      storage,
      stored.map((file) => file.storage_key),
    ).catch(() => {});
    throw error;
  }
  return stored;
}
