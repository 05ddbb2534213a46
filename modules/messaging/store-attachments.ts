import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { invalid, TooLargeError } from '@case-platform/lib/errors';
import {
  ATTACHMENTS_MAX_BYTES,
  ATTACHMENTS_MAX_COUNT,
  type ByteSource,
  checkContent,
  cleanFilename,
  deleteObjects,
  putObject,
  type Storage,
  withoutMetadata,
} from '@case-platform/modules/storage';

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
  if (files.length > ATTACHMENTS_MAX_COUNT) throw invalid('files', 'A message may have at most 10 files.');
  const total = files.reduce((sum, file) => sum + file.content.size, 0);
  if (total > ATTACHMENTS_MAX_BYTES)
    throw new TooLargeError('The files of a message may have at most 50 MiB together.');
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
