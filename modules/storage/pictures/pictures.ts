import type { Readable } from 'node:stream';
import type { Executor } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import type { ByteSource } from '../byte-source.ts';
import { cleanHeic } from './clean-heic.ts';
import { cleanJpeg } from './clean-jpeg.ts';
import { cleanPng } from './clean-png.ts';
import { cleanWebp } from './clean-webp.ts';
import { DamagedPictureError, openPieces, type Piece, sizeOf } from './picture-pieces.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Removes what a picture says about its maker and place, and makes its smaller versions. */
    clean_picture: { storage_key: string };
    /** Removes objects that no row names any more. */
    delete_objects: { keys: string[] };
  }
}

/** `waiting` until the worker has come to it; `failed` for a picture that is damaged or pretends to be one. */
export type PictureState = 'waiting' | 'clean' | 'failed';

export interface PictureInfo {
  state: PictureState;
  /** In bytes, once clean. */
  size: number | null;
  /** Storage keys of the smaller versions by their width in pixels. */
  renditions: Record<number, string>;
}

/** How a picture of each kind is rid of its metadata. A GIF has no place for a location. */
export const CLEANERS: Record<string, (source: ByteSource) => Promise<Piece[]>> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/heic': cleanHeic,
};

/**
 * What is passed on of a file: a picture without what it says about its maker and place, its pixels untouched; anything else
 * as it is, and so is a picture that does not hold what its format demands.
 */
export async function withoutMetadata(
  source: ByteSource,
  contentType: string,
): Promise<{ size: number; open: () => Readable }> {
  try {
    const pieces = await CLEANERS[contentType]?.(source);
    if (pieces !== undefined) return { size: sizeOf(pieces), open: () => openPieces(source, pieces) };
  } catch (error) {
    if (!(error instanceof DamagedPictureError)) throw error;
  }
  return { size: source.size, open: () => source.open() };
}

/** One picture after the other: they need memory. */
const QUEUE = 'pictures';

/** Has a confirmed file cleaned if it is a picture, in the transaction that keeps it. */
export async function keepPicture(
  tx: Executor,
  { storage_key, content_type }: { storage_key: string; content_type: string },
): Promise<void> {
  if (!(content_type in CLEANERS)) return;
  await query(tx, sql`insert into stored_picture (storage_key) values (${storage_key})`);
  await enqueue(tx, 'clean_picture', { storage_key }, { queueName: QUEUE });
}

/** What is known of the pictures among these keys; other files are not in it. */
export async function describePictures(
  db: Executor,
  storageKeys: readonly string[],
): Promise<ReadonlyMap<string, PictureInfo>> {
  if (storageKeys.length === 0) return new Map();
  const rows = await query<PictureInfo & { storage_key: string }>(
    db,
    sql`select p.storage_key, p.state, p.size,
               coalesce((select jsonb_object_agg(r.width, r.storage_key) from picture_rendition r
                          where r.picture_key = p.storage_key), '{}') as renditions
          from stored_picture p where p.storage_key = any(${storageKeys})`,
  );
  return new Map(rows.map(({ storage_key, ...info }) => [storage_key, info]));
}

/**
 * Has files removed whose rows the same transaction has deleted, smaller versions included: call it with their keys. The
 * objects go once it is committed.
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
