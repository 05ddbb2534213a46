import { Readable } from 'node:stream';
import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { findObject, putObject, readObject } from '../objects.ts';
import { removeObjects } from '../remove-objects.ts';
import { type SpooledFile, spoolFile } from '../spool-file.ts';
import type { Storage } from '../storage.ts';
import { FILES_PREFIX, UPLOAD_PURPOSES } from '../upload-purposes.ts';
import { cleanPictures, PICTURE_TYPES, UnusablePictureError } from './clean-pictures.ts';
import type { PictureTurn } from './picture-process.ts';
import { type Rendition, renderPicture } from './render-picture.ts';

export interface PictureContext {
  db: Database;
  storage: Storage;
}

/** Widths in pixels: for lists, and for a profile page on a high-density screen. */
const RENDITION_WIDTHS = [96, 256];
const PICTURE_MAX_BYTES = Math.max(...Object.values(UPLOAD_PURPOSES).map(({ maxBytes }) => maxBytes));

/** A picture whose processing ended the worker is tried one more time (PICTURE-5). */
const ATTEMPTS_MAX = 2;

/**
 * Removes the camera data and location of a picture, and makes the smaller versions of a profile picture. It can run again after
 * any step. A picture that is damaged, or needs too much memory or time, is marked as failed permanently. The task fails, and is
 * tried again, only if the storage, the database, or picture processes are unavailable.
 */
export async function cleanPicture(
  { db, storage }: PictureContext,
  { storage_key: key, owner }: { storage_key: string; owner: number },
  now: Date,
): Promise<void> {
  const [picture] = await query(db, sql`select from stored_picture where storage_key = ${key} and state = 'waiting'`);
  const head = picture === undefined ? null : await findObject(storage, key);
  const body = head === null ? null : await readObject(storage, key, { etag: head.etag });
  if (head === null || body === null) return;
  await using spooled = new AsyncDisposableStack();
  const original = spooled.use(await spoolFile(body, { maxBytes: PICTURE_MAX_BYTES }));
  try {
    const turn = { owner: String(owner) };
    const picture = { key, contentType: head.contentType, original };
    const { clean, renditions } = await countedAttempt(db, key, () => processPicture(picture, turn, spooled));
    await putObject(storage, { key, body: clean.open(), size: clean.size, contentType: head.contentType });
    for (const { key: renditionKey, bytes } of renditions) await putRendition(storage, renditionKey, bytes);
    await markClean({ db, storage }, { key, size: clean.size, renditions }, now);
  } catch (error) {
    if (!(error instanceof UnusablePictureError)) throw error;
    await query(db, sql`update stored_picture set state = 'failed', failure = ${error.failure} where storage_key = ${key}`);
  }
}

/**
 * Counts an attempt while it runs. The count remains only if the attempt ended the worker; otherwise the result of the work
 * decides about the picture.
 */
async function countedAttempt<Result>(db: Database, key: string, work: () => Promise<Result>): Promise<Result> {
  const [picture] = await query<{ attempts: number }>(
    db,
    sql`update stored_picture set attempts = attempts + 1 where storage_key = ${key} returning attempts`,
  );
  if ((picture?.attempts ?? 0) > ATTEMPTS_MAX) throw new UnusablePictureError('unfinished');
  try {
    return await work();
  } finally {
    await query(db, sql`update stored_picture set attempts = 0 where storage_key = ${key}`);
  }
}

interface Processed {
  clean: SpooledFile;
  renditions: (Rendition & { key: string })[];
}

async function processPicture(
  { key, contentType, original }: { key: string; contentType: string; original: SpooledFile },
  turn: PictureTurn,
  spooled: AsyncDisposableStack,
): Promise<Processed> {
  const pictures = PICTURE_TYPES.has(contentType) ? [{ contentType, content: original }] : [];
  const [clean] = await cleanPictures(pictures, turn);
  if (clean === undefined) throw new UnusablePictureError('damaged');
  spooled.use(clean);
  if (!key.startsWith(`${FILES_PREFIX}profile_picture/`)) return { clean, renditions: [] };
  const renditions = await renderPicture(clean, RENDITION_WIDTHS, turn);
  const keyOf = (width: number) => key.replace(/\.\w+$/, `.${width}.webp`);
  return { clean, renditions: renditions.map(({ width, bytes }) => ({ width, bytes, key: keyOf(width) })) };
}

async function putRendition(storage: Storage, key: string, bytes: Buffer): Promise<void> {
  await putObject(storage, { key, body: Readable.from([bytes]), size: bytes.length, contentType: 'image/webp' });
}

/** Removes the objects again if the picture was discarded in the meantime. */
async function markClean(
  { db, storage }: PictureContext,
  { key, size, renditions }: { key: string; size: number; renditions: readonly { key: string; width: number }[] },
  now: Date,
): Promise<void> {
  const isStillNeeded = await db.transaction(async (tx) => {
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
  if (isStillNeeded) return;
  await removeObjects({ db, storage }, { keys: [key, ...renditions.map((rendition) => rendition.key)] }, now);
}
