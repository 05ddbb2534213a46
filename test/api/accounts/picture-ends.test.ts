import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, afterEach, describe, test } from 'node:test';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Database } from '@case-platform/lib/database';
import { cleanPicture, deleteObjects, type Storage } from '@case-platform/modules/storage';
import sharp from 'sharp';
import { uploadAndConfirm } from '../../support/direct-upload.ts';
import { openSpools } from '../../support/hostile/open-spools.ts';
import { startApi } from '../../support/platform.ts';

/**
 * Every way in which the job that cleans a profile picture and makes its small versions can end. The queue tries a job again if
 * it rejects, so a rejection must leave a picture that can still become clean, and everything else must be final.
 */

const api = await startApi();
const surrogate = await api.as('surrogate');
const node = process.execPath;
const folder = await mkdtemp(join(tmpdir(), 'picture-ends-'));
after(() => rm(folder, { recursive: true }));

const before = openSpools();
afterEach(() => {
  process.execPath = node;
  assert.deepEqual(openSpools(before), []);
});

const pixels = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#22667a' } });
const PICTURE = await pixels(64).jpeg().toBuffer();
const DAMAGED = Buffer.concat([PICTURE.subarray(0, 200), Buffer.alloc(300, 9)]);
const TOO_LARGE = await pixels(8000).jpeg({ progressive: true }).toBuffer();

interface Parts {
  db: Database;
  storage: Storage;
}
/** Causes a fault until the picture processes are restored. @returns the parts that the job gets. */
type Fault = (parts: Parts, key: string) => Parts | Promise<Parts>;

const NO_FAULT: Fault = (parts) => parts;

/** Runs a shell script instead of one of the two programs, or of both. */
function insteadOf(program: 'clean-pictures' | 'render-picture' | '', script: string): Fault {
  return async (parts) => {
    const path = join(folder, 'node');
    await writeFile(path, `#!/bin/sh\ncase "$*" in\n*${program}*) ${script};;\n*) exec '${node}' "$@";;\nesac\n`);
    await chmod(path, 0o755);
    process.execPath = path;
    return parts;
  };
}

/** Makes one call to the storage fail: the first of its kind, or a later one. */
function storageAway(kind: new (input: never) => object, nth = 1): Fault {
  return ({ db, storage }) => {
    let calls = 0;
    const send = (command: object) => {
      if (command instanceof kind && ++calls === nth) return Promise.reject(new Error('the storage is away'));
      return storage.client.send(command as never);
    };
    return { db, storage: { ...storage, client: { send } as unknown as Storage['client'] } };
  };
}

/** Lets the storage answer a request for the picture, and then break off. */
const BREAKS_OFF: Fault = ({ db, storage }) => {
  const send = async (command: object) => {
    const answer = await storage.client.send(command as never);
    if (!(command instanceof GetObjectCommand)) return answer;
    (answer as { Body: Readable }).Body.destroy();
    const Body = new Readable({ read: () => Body.destroy(new Error('the storage broke off')) });
    return { ...(answer as object), Body };
  };
  return { db, storage: { ...storage, client: { send } as unknown as Storage['client'] } };
};

/** Makes each statement with these words fail, also in a transaction. */
function databaseAway(words: string): Fault {
  const failing = <Part extends Database>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        if (name === 'transaction') {
          return (work: (tx: Database) => Promise<unknown>) => target.transaction((tx) => work(failing(tx)));
        }
        if (name !== 'query') return Reflect.get(target, name);
        return (statement: { text: string; values: never[]; name: string }) =>
          statement.text.includes(words) ? Promise.reject(new Error('the database is away')) : target.query(statement);
      },
    });
  return ({ db, storage }) => ({ db: failing(db), storage });
}

interface Ending {
  /** The stored file. */
  content?: Buffer;
  fault?: Fault;
  /** How often the job runs with the fault, each time with the same ending; once by default. */
  runs?: number;
  /** How many attempts had ended the worker. */
  attempted?: number;
  /** The words of the rejection, after which the job is tried again; null if it does not reject. */
  rejects: RegExp | null;
  state: string;
  attempts: number;
  /** The state after the next run, without the fault; the same state by default. */
  next?: string;
}

/** The job is tried again, no attempt counts against the picture, and without the fault it ends clean. */
const again = (fault: Fault, rejects: RegExp, runs = 1): Ending => ({
  fault,
  runs,
  rejects,
  state: 'waiting',
  attempts: 0,
  next: 'clean',
});
const final = (state: string): Pick<Ending, 'rejects' | 'state' | 'attempts'> => ({ rejects: null, state, attempts: 0 });

const PROCESS = /^Pictures can’t be processed right now/;
const STORAGE = /^The file storage is not available/;
const DATABASE = /^the database is away$/;
const missing: Fault = (parts) => {
  process.execPath = join(folder, 'missing');
  return parts;
};
const isReady = "printf 'ready\\n'";

const ENDINGS: Record<string, Ending> = {
  'a picture that is cleaned': final('clean'),
  'a damaged picture': { content: DAMAGED, ...final('failed: damaged') },
  'a damaged picture while the database is away at its mark': {
    content: DAMAGED,
    ...again(databaseAway("state = 'failed'"), DATABASE),
    next: 'failed: damaged',
  },
  'a picture that the small versions need too much memory for': { content: TOO_LARGE, ...final('failed: too_large') },
  'a picture whose cleaning needs too much memory': {
    fault: insteadOf('clean-pictures', `${isReady}; kill -KILL $$`),
    ...final('failed: too_large'),
  },
  'a picture whose cleaning needs too much time': {
    fault: insteadOf('clean-pictures', `${isReady}; kill -XCPU $$`),
    ...final('failed: too_slow'),
  },
  'a picture whose small versions need too much time': {
    fault: insteadOf('render-picture', `${isReady}; kill -XCPU $$`),
    ...final('failed: too_slow'),
  },
  'a picture that has twice ended the worker': { fault: missing, attempted: 2, ...final('failed: unfinished'), attempts: 3 },
  'a picture that has once ended the worker': { attempted: 1, ...final('clean') },
  'a picture whose object was deleted': {
    fault: async (parts, key) => {
      await deleteObjects(parts.storage, [key]);
      return parts;
    },
    ...final('waiting'),
  },
  'no picture process starts': again(missing, PROCESS, 3),
  'no picture process starts for the small versions': again(insteadOf('render-picture', 'exit 1'), PROCESS, 3),
  'a picture process is stopped from outside': again(insteadOf('', `${isReady}; kill -TERM $$`), PROCESS, 3),
  'no picture process starts after one that ended the worker': { ...again(missing, PROCESS, 3), attempted: 1 },
  'the storage is away before the picture is found': again(storageAway(HeadObjectCommand), STORAGE),
  'the storage is away before the picture is read': again(storageAway(GetObjectCommand), STORAGE),
  'the storage breaks off while the picture is read': again(BREAKS_OFF, /^the storage broke off$/),
  'the storage is away when the clean picture is written': again(storageAway(PutObjectCommand), STORAGE, 3),
  'the storage is away at the first small version': again(storageAway(PutObjectCommand, 2), STORAGE),
  'the storage is away at the second small version': again(storageAway(PutObjectCommand, 3), STORAGE),
  'the database is away before the picture is found': again(databaseAway("and state = 'waiting'"), DATABASE),
  'the database is away when the attempt is counted': again(databaseAway('attempts = attempts + 1'), DATABASE),
  // This cannot be told from an attempt that ended the worker. The next one takes it back.
  'the database is away when the attempt has ended': { ...again(databaseAway('attempts = 0'), DATABASE), attempts: 1 },
  'the database is away when the picture is marked': again(databaseAway("state = 'clean'"), DATABASE),
  'the database is away when the small versions are listed': again(databaseAway('into picture_rendition'), DATABASE),
};

async function store(content: Buffer): Promise<string> {
  const file = { filename: 'me.jpg', content_type: 'image/jpeg', content };
  const { status } = await uploadAndConfirm(surrogate, '/api/user/me/profile-picture', file);
  assert.equal(status, 200);
  const { rows } = await api.pool.query(`select storage_key from user_file where user_id = $1 and purpose = 'profile_picture'`, [
    surrogate.userId,
  ]);
  return rows[0].storage_key;
}

async function outcomeOf(key: string) {
  const { rows } = await api.pool.query(
    `select concat_ws(': ', state, failure) as state, attempts,
            (select count(*)::int from picture_rendition where picture_key = p.storage_key) as versions
       from stored_picture p where p.storage_key = $1`,
    [key],
  );
  return rows[0];
}

describe('[PICTURE-3, PICTURE-5] a job that cleans a picture ends in one of these ways', () => {
  for (const [what, { content = PICTURE, fault = NO_FAULT, runs = 1, attempted = 0, ...ending }] of Object.entries(ENDINGS))
    test(`[PICTURE-5] ${what}: ${ending.rejects === null ? 'final' : 'tried again'}, ${ending.state}`, async () => {
      const { rejects, state, attempts, next = state } = ending;
      const key = await store(content);
      await api.pool.query('update stored_picture set attempts = $2 where storage_key = $1', [key, attempted]);
      const parts: Parts = { db: api.db, storage: api.storage };
      const run = (given: Parts) => cleanPicture(given, { storage_key: key, owner: surrogate.userId }, new Date());
      const versionsAt = (at: string) => (at === 'clean' ? 2 : 0);
      for (let at = 0; at < runs; at += 1) {
        const running = run(await fault(parts, key));
        if (rejects === null) await running;
        else await assert.rejects(running, { message: rejects });
        assert.deepEqual(await outcomeOf(key), { state, attempts, versions: versionsAt(state) });
      }
      process.execPath = node;
      await run(parts);
      const last = { state: next, attempts: rejects === null ? attempts : 0, versions: versionsAt(next) };
      assert.deepEqual(await outcomeOf(key), last);
      const { profile_picture_state } = (await surrogate.get('/api/user/me')).body;
      assert.equal(profile_picture_state, next.split(':', 1)[0]);
    });
});
