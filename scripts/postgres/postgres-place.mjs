import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { existingOutsideFolders, outsideFolders } from '../checkout/outside-folders.mjs';
import { Refusal, say } from '../checkout/terminal.mjs';
import { canEnter, postgresUser } from './postgres-user.mjs';

/** @typedef {import('./postgres-user.mjs').User} User */
/** @typedef {{ user: User | null, folder: string, cluster: string }} Place */

const POINTER = 'postgres.location';
const OWNER = 'data-dir';
const KEEP_ORPHANS_MS = 24 * 60 * 60 * 1000;

/**
 * Finds or makes the place of a DATA_DIR's database. It is in DATA_DIR or, if PostgreSQL runs as a user that cannot enter
 * DATA_DIR, in a folder outside that the file `postgres.location` in DATA_DIR names. Without that file the database counts as
 * gone, so that deleting DATA_DIR always results in an empty one.
 * @param {string} dataDir absolute, without symbolic links; exists
 * @returns {Place} `cluster` is PostgreSQL's own folder, in `folder`, which is ours
 * @throws {Refusal} when there is no place for it
 */
export function placePostgres(dataDir) {
  const existing = existingPlace(dataDir);
  removeOrphans(dataDir, existing);
  if (existing !== null) return placeIn(existing);
  const place = placeIn(dataDir);
  if (canEnter(place.user, dataDir)) return place;
  const outside = placeIn(makePlace(dataDir));
  // The cluster was made before DATA_DIR was closed to PostgreSQL's user, or before DATA_DIR was moved.
  if (existsSync(place.cluster)) spawnSync('mv', [place.cluster, outside.cluster]);
  return { ...outside, user: postgresUser(outside.cluster) };
}

/**
 * Removes what a DATA_DIR keeps outside of it.
 * @param {string} dataDir
 */
export function removePlace(dataDir) {
  const place = pointedTo(dataDir);
  if (place === null || readOr(join(place, OWNER)) !== dataDir) return;
  rmSync(place, { recursive: true, force: true });
  rmSync(join(dataDir, POINTER));
}

/**
 * @param {string} folder
 * @returns {Place}
 */
function placeIn(folder) {
  const cluster = join(folder, 'postgres');
  return { user: postgresUser(cluster), folder, cluster };
}

/** @param {string} dataDir */
function existingPlace(dataDir) {
  const place = pointedTo(dataDir);
  if (place === null) return null;
  const owner = readOr(join(place, OWNER));
  if (owner === null) {
    say(`DATA_DIR: its database at ${place} is gone; an empty one takes its place.`);
    return null;
  }
  if (owner !== dataDir && pointedTo(owner) === place) {
    say(`DATA_DIR: it is a copy of ${owner}, whose database stays there; an empty one takes its place.`);
    return null;
  }
  // This is written at each start, so a DATA_DIR that was moved keeps its database, and the time shows that it is in use.
  writeFileSync(join(place, OWNER), dataDir);
  return place;
}

/** @param {string} dataDir */
function makePlace(dataDir) {
  const base = outsideFolders().next().value;
  if (base === undefined) throw new Refusal('DATA_DIR: the user that PostgreSQL runs as cannot enter this folder.');
  const place = join(base, randomBytes(8).toString('hex'));
  mkdirSync(place);
  chmodSync(place, 0o711);
  writeFileSync(join(place, OWNER), dataDir, { mode: 0o600 });
  writeFileSync(join(dataDir, POINTER), place, { mode: 0o600 });
  return place;
}

/**
 * Removes databases whose DATA_DIR is gone: those of this DATA_DIR at once, others only a day after their last start, because
 * their DATA_DIR may only have been moved.
 * @param {string} dataDir
 * @param {string | null} current the place in use
 */
function removeOrphans(dataDir, current) {
  for (const base of existingOutsideFolders()) {
    for (const name of readdirSync(base)) {
      const place = join(base, name);
      const owner = readOr(join(place, OWNER));
      if (owner === null || place === current || pointedTo(owner) === place) continue;
      const unused = Date.now() - statSync(join(place, OWNER)).mtimeMs;
      if (owner === dataDir || unused > KEEP_ORPHANS_MS) rmSync(place, { recursive: true, force: true });
    }
  }
}

/** @param {string} dataDir */
function pointedTo(dataDir) {
  return readOr(join(dataDir, POINTER));
}

/** @param {string} path */
function readOr(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
