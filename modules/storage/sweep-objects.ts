import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Database } from '@case-platform/lib/database';
import { isBackupUnderWay } from '@case-platform/lib/database/backup-lock';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { deleteObjects } from './objects.ts';
import { findReferencedKeys } from './referenced-keys.ts';
import { callStorage, type Storage } from './storage.ts';
import { FILES_PREFIX, UPLOADS_PREFIX } from './upload-purposes.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Runs on a schedule and removes what interrupted uploads left behind. */
    sweep_objects: Record<string, unknown>;
  }
}

/** Uploads and objects without a row are removed after this time. An upload can be confirmed for half of it. */
const KEEP_MS = 24 * 3_600_000;
/** The rows of one step and the steps of one sweep. The rest is left for the next sweep, so that a worker can stop. */
const STEP_ROWS = 300;
const STEPS = 200;
/** The prefix of message attachments (FILE-3). */
const MESSAGES_PREFIX = 'messages/';

/**
 * Removes what interrupted uploads left behind for 24 hours: unused descriptors, unconfirmed files, and attachments and copies
 * whose transaction never committed (UPLOAD-2). Touches only the prefixes of this platform, and no object that a row names
 * (UPLOAD-9). During a backup, objects stay until the next sweep (BACKUP-1).
 */
export async function sweepObjects(
  { db, storage }: { db: Database; storage: Storage },
  now: Date,
): Promise<{ uploads: number; objects: number }> {
  const before = new Date(now.getTime() - KEEP_MS);
  const uploads = await removeOldUploads(db, before);
  let objects = 0;
  if (await isBackupUnderWay(db)) return { uploads, objects };
  for (const prefix of [UPLOADS_PREFIX, FILES_PREFIX, MESSAGES_PREFIX]) {
    for await (const keys of listOldKeys(storage, prefix, before)) {
      const referencedKeys = await findReferencedKeys(db, keys);
      const orphans = keys.filter((key) => !referencedKeys.has(key));
      await deleteObjects(storage, orphans);
      objects += orphans.length;
    }
  }
  return { uploads, objects };
}

/** Deletes the oldest first, a few hundred at a time. A row that is being confirmed is left for the next sweep. */
async function removeOldUploads(db: Database, before: Date): Promise<number> {
  let count = 0;
  for (let steps = 0; steps < STEPS; steps++) {
    const rows = await query(
      db,
      sql`delete from pending_upload where id = any(array(
            select id from pending_upload where created_at < ${before}
             order by created_at ${limitTo(STEP_ROWS)} for update skip locked)) returning 1`,
    );
    count += rows.length;
    if (rows.length < STEP_ROWS) break;
  }
  return count;
}

/** The keys of objects that were last written before this time, a page at a time. */
async function* listOldKeys(storage: Storage, Prefix: string, before: Date): AsyncGenerator<string[]> {
  let ContinuationToken: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: storage.settings.bucket, Prefix, ContinuationToken });
    const page = await callStorage(() => storage.client.send(command));
    const old = (page.Contents ?? []).filter(({ LastModified }) => LastModified !== undefined && LastModified < before);
    yield old.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}
