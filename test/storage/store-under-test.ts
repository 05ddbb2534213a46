import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { listen } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { closeStorage, createMissingBucket, createStorage, type Storage } from '@case-platform/modules/storage';
import { createStorageServer } from '../../apps/storage/server.ts';

/** A store that the cases run against. */
export interface StoreUnderTest extends AsyncDisposable {
  name: 'development store' | 'real S3';
  storage: Storage;
  /** Address of the bucket without a slash at the end. */
  bucketUrl: string;
  /** A key that no other case uses. */
  newKey(name?: string): string;
  /** Names of unfinished files; null for a store whose files are not accessible. */
  listDrafts(): Promise<string[] | null>;
}

export const ORIGIN = 'http://localhost:3000';

/** Starts `apps/storage` on a free port, with an empty folder. */
export async function startDevelopmentStore(): Promise<StoreUnderTest & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-test-'));
  const credentials = { accessKeyId: 'testkey', secretAccessKey: 'test secret/with+signs', region: 'us-east-1' };
  const log = createLog('storage', 'silent');
  const app = await createStorageServer({ log, folder, bucket: 'files', credentials, origins: [ORIGIN], now: () => new Date() });
  const endpoint = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
  const storage = createStorage({ endpoint, bucket: 'files', forcePathStyle: true, ...credentials });
  return {
    name: 'development store',
    folder,
    storage,
    bucketUrl: `${endpoint}/files`,
    newKey,
    listDrafts: () => readdir(join(folder, 'drafts')),
    async [Symbol.asyncDispose]() {
      closeStorage(storage);
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The S3 at `S3_TEST_ENDPOINT`, or null without one. */
async function connectRealStore(): Promise<StoreUnderTest | null> {
  const { S3_TEST_ENDPOINT: endpoint, S3_TEST_BUCKET: bucket = 'case-platform-test' } = process.env;
  if (endpoint === undefined || endpoint === '') return null;
  const storage = createStorage({
    endpoint,
    bucket,
    region: process.env.S3_TEST_REGION ?? 'us-east-1',
    accessKeyId: process.env.S3_TEST_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.S3_TEST_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: true,
  });
  await createMissingBucket(storage);
  return {
    name: 'real S3',
    storage,
    bucketUrl: `${endpoint.replace(/\/$/, '')}/${bucket}`,
    newKey,
    listDrafts: async () => null,
    async [Symbol.asyncDispose]() {
      closeStorage(storage);
    },
  };
}

/** Every store that the cases run against. */
export async function openStores(): Promise<StoreUnderTest[]> {
  const real = await connectRealStore();
  return [await startDevelopmentStore(), ...(real === null ? [] : [real])];
}

/**
 * Asserts the answer of S3 for the development store. A difference of another store is reported without a failure, because the
 * platform does not rely on these cases.
 */
export function assertLikeS3(
  store: StoreUnderTest,
  t: TestContext,
  [actual, expected]: [actual: unknown, expected: unknown],
  what: string,
): void {
  try {
    assert.deepEqual(actual, expected, what);
  } catch (error) {
    if (store.name === 'development store') throw error;
    t.diagnostic(`${what}: S3 ${JSON.stringify(expected)}, this store ${JSON.stringify(actual)}`);
  }
}

function newKey(name = 'file.bin'): string {
  return `test/${randomUUID()}/${name}`;
}
