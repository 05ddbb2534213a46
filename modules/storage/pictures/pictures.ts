import type { Executor } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import type { PictureFailure } from '@case-platform/words/pictures';
import { PICTURE_TYPES } from './clean-pictures.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Removes the camera data and location of a picture, and makes its smaller versions. */
    clean_picture: {
      storage_key: string;
      /** The person who uploaded it. */
      owner: number;
    };
    /** Removes objects that no row names. */
    delete_objects: { keys: string[] };
  }
}

/** `waiting` until the worker has processed it; `failed` if it cannot be used. */
export type PictureState = 'waiting' | 'clean' | 'failed';

export interface PictureInfo {
  state: PictureState;
  /** The reason for `failed`; null in every other state. */
  failure: PictureFailure | null;
  /** In bytes, once clean. */
  size: number | null;
  /** Storage keys of the smaller versions, by width in pixels. */
  renditions: Record<number, string>;
}

/**
 * Queues the cleaning of a confirmed file if it is a picture, in the transaction that stores it. Pictures of one person are
 * processed one after another, those of different people in parallel (PICTURE-4).
 */
export async function queuePictureCleaning(
  tx: Executor,
  { storage_key, content_type }: { storage_key: string; content_type: string },
  owner: number,
): Promise<void> {
  if (!PICTURE_TYPES.has(content_type)) return;
  await query(tx, sql`insert into stored_picture (storage_key) values (${storage_key})`);
  await enqueue(tx, 'clean_picture', { storage_key, owner }, { queueName: `pictures:${owner}` });
}

/** Describes the pictures among these keys; other files are left out. */
export async function describePictures(db: Executor, storageKeys: readonly string[]): Promise<ReadonlyMap<string, PictureInfo>> {
  if (storageKeys.length === 0) return new Map();
  const rows = await query<PictureInfo & { storage_key: string }>(
    db,
    sql`select p.storage_key, p.state, p.failure, p.size,
               coalesce((select jsonb_object_agg(r.width, r.storage_key) from picture_rendition r
                          where r.picture_key = p.storage_key), '{}') as renditions
          from stored_picture p where p.storage_key = any(${storageKeys})`,
  );
  return new Map(rows.map(({ storage_key, ...info }) => [storage_key, info]));
}

/**
 * Queues the removal of files and their smaller versions. Call it in the transaction that deletes their rows; the objects are
 * removed after the commit.
 */
export async function discardFiles(tx: Executor, storageKeys: readonly string[]): Promise<void> {
  if (storageKeys.length === 0) return;
  const renditions = await query<{ storage_key: string }>(
    tx,
    sql`delete from picture_rendition where picture_key = any(${storageKeys}) returning storage_key`,
  );
  await query(tx, sql`delete from stored_picture where storage_key = any(${storageKeys})`);
  const keys = [...storageKeys, ...renditions.map(({ storage_key }) => storage_key)];
  await enqueue(tx, 'delete_objects', { keys });
}
