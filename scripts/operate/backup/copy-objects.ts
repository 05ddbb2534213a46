import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConflictError } from '@case-platform/lib/errors';
import { hashFile, writeHashedFile } from '@case-platform/lib/hashed-file';
import { findObject, readObject, type Storage } from '@case-platform/modules/storage';
import { type Backup, contentPath, type ListedObject, OBJECTS_FILE } from './backup-file.ts';

const AT_ONCE = 8;

/**
 * Copies these objects out of the storage and lists them with key, size, content type, and SHA-256. An object that is missing was
 * lost earlier, because nothing is removed during a backup (BACKUP-1).
 */
export async function copyObjects(storage: Storage, keys: string[], folder: string): Promise<Backup['objects']> {
  const list = createWriteStream(join(folder, OBJECTS_FILE), { flags: 'wx', mode: 0o600, flush: true });
  const counted = { count: 0, bytes: 0, missing: 0 };
  const waiting = keys.values();
  const copyRest = async () => {
    for (const key of waiting) {
      const copied = await copyObject(storage, key, folder);
      if (copied === null) {
        counted.missing += 1;
        continue;
      }
      list.write(`${JSON.stringify(copied)}\n`);
      counted.count += 1;
      counted.bytes += copied.size;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyRest));
  list.end();
  await once(list, 'close');
  return { ...(await hashFile(join(folder, OBJECTS_FILE))), ...counted };
}

async function copyObject(storage: Storage, key: string, folder: string): Promise<ListedObject | null> {
  const head = await findObject(storage, key);
  if (head === null) return null;
  try {
    const body = await readObject(storage, key, { etag: head.etag });
    if (body === null) return null;
    const draft = join(folder, `${randomUUID()}.draft`);
    const written = await writeHashedFile(draft, body);
    if (written.size !== head.size) throw new Error(`The object ${key} ended after ${written.size} bytes.`);
    const path = contentPath(folder, written.sha256);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    return { key, content_type: head.contentType, ...written };
  } catch (error) {
    // The metadata of a picture was just removed, so the clean version is copied instead.
    if (error instanceof ConflictError) return copyObject(storage, key, folder);
    throw error;
  }
}
