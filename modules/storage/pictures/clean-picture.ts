import { Readable } from 'node:stream';
import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { findObject, putObject, readObject } from '../objects.ts';
import { removeObjects } from '../remove-objects.ts';
import { type SpooledFile, spoolFile } from '../spool-file.ts';
import type { Storage } from '../storage.ts';
import { FILES_PREFIX, UPLOAD_PURPOSES } from '../upload-purposes.ts';
import { DamagedPictureError, openPieces, sizeOf } from './picture-pieces.ts';
import { CLEANERS } from './pictures.ts';
import { type Rendition, renderPicture } from './render-picture.ts';

export interface PictureContext {
  db: Database;
  storage: Storage;
}

/** Pixels on a side: for lists, and for a person's page on a dense screen. */
const RENDITION_WIDTHS = [96, 256];
const PICTURE_MAX_BYTES = Math.max(...Object.values(UPLOAD_PURPOSES).map(({ maxBytes }) => maxBytes));

/**
 * Rewrites a picture without what it says about its maker and place, and makes the smaller versions of a profile picture.
 * Runs as often as it has to: each step repeats with the same result. A picture that is damaged, or a trap, is marked as
 * failed for good; only storage and database being away make the task fail, to be tried again.
 */
export async function cleanPicture(
  { db, storage }: PictureContext,
  { storage_key: key }: { storage_key: string },
): Promise<void> {
  const [waiting] = await query(db, sql`select from stored_picture where storage_key = ${key} and state = 'waiting'`);
  const head = waiting === undefined ? null : await findObject(storage, key);
  const body = head === null ? null : await readObject(storage, key, { etag: head.etag });
  if (head === null || body === null) return;
  await using original = await spoolFile(body, { maxBytes: PICTURE_MAX_BYTES });
  try {
    const renditions = await renditionsOf(key, original);
    const size = await rewrite(storage, key, head.contentType, original);
    for (const { key: renditionKey, bytes } of renditions) await putRendition(storage, renditionKey, bytes);
    await finish({ db, storage }, key, size, renditions);
  } catch (error) {
    if (!(error instanceof DamagedPictureError)) throw error;
    await query(db, sql`update stored_picture set state = 'failed' where storage_key = ${key}`);
  }
}

async function renditionsOf(key: string, original: SpooledFile): Promise<(Rendition & { key: string })[]> {
  if (!key.startsWith(`${FILES_PREFIX}profile_picture/`)) return [];
  const renditions = await renderPicture(original, RENDITION_WIDTHS);
  return renditions.map((rendition) => ({ ...rendition, key: key.replace(/\.\w+$/, `.${rendition.width}.webp`) }));
}

/** Puts the clean picture in the place of the original. Returns its size in bytes. */
async function rewrite(storage: Storage, key: string, contentType: string, original: SpooledFile): Promise<number> {
  const clean = CLEANERS[contentType];
  if (clean === undefined) throw new DamagedPictureError('its kind is unknown');
  const pieces = await clean(original);
  const size = sizeOf(pieces);
  await putObject(storage, { key, body: openPieces(original, pieces), size, contentType });
  return size;
}

async function putRendition(storage: Storage, key: string, bytes: Buffer): Promise<void> {
  await putObject(storage, { key, body: Readable.from([bytes]), size: bytes.length, contentType: 'image/webp' });
}

/** A picture that was discarded meanwhile is removed again. */
async function finish(
  { db, storage }: PictureContext,
  key: string,
  size: number,
  renditions: readonly { key: string; width: number }[],
): Promise<void> {
  const kept = await db.transaction(async (tx) => {
    const [picture] = await query(
      tx,
      sql`update stored_picture set state = 'clean', size = ${size} where storage_key = ${key} returning storage_key`,
    );
    if (picture === undefined) return false;
    await query(
      tx,
      sql`insert into picture_rendition (storage_key, picture_key, width)
          select r.key, ${key}, r.width from unnest(${renditions.map((rendition) => rendition.key)}::text[],
                                                    ${renditions.map(({ width }) => width)}::int[]) as r (key, width)
          on conflict do nothing`,
    );
    return true;
  });
  if (!kept)
    await removeObjects({ db, storage }, { keys: [key, ...renditions.map((rendition) => rendition.key)] }, new Date());
}
