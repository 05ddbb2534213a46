import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '@case-platform/lib/database';
import { IMITATED_STORE } from '../../test/support/storage.ts';
import { createStorage } from './storage.ts';
import { sweepObjects } from './sweep-objects.ts';

const NOW = new Date('2026-11-26T12:00:00.000Z');
const OLD = new Date('2026-11-25T11:59:59.999Z');
const JUST_YOUNG = new Date('2026-11-25T12:00:00.000Z');

/** A store with pages of objects by prefix, and a database that names some of their keys. */
function world(
  t: TestContext,
  pages: Record<string, { Key: string; LastModified: Date }[][]>,
  named: string[],
  isBackup = false,
  uploads = 0,
) {
  const storage = createStorage(IMITATED_STORE);
  const deleted: string[] = [];
  t.mock.method(storage.client, 'send', async ({ input }: { input: Record<string, never> }) => {
    const { Prefix, ContinuationToken, Delete } = input as {
      Prefix?: string;
      ContinuationToken?: string;
      Delete?: { Objects: { Key: string }[] };
    };
    if (Delete !== undefined) {
      deleted.push(...Delete.Objects.map(({ Key }) => Key));
      return {};
    }
    const at = Number(ContinuationToken ?? 0);
    const all = pages[Prefix ?? ''] ?? [];
    return { Contents: all[at], NextContinuationToken: at + 1 < all.length ? String(at + 1) : undefined };
  });
  let left = uploads;
  const steps: unknown[] = [];
  const db = {
    async query({ text, values }: { text: string; values: unknown[] }) {
      if (text.includes('pg_try_advisory')) return { rows: [{ free: !isBackup }] };
      if (text.includes('pending_upload')) {
        steps.push(values[0]);
        const count = Math.min(left, Number(/limit (\d+)/.exec(text)?.[1]));
        left -= count;
        return { rows: Array.from({ length: count }, () => ({})) };
      }
      return { rows: named.map((k) => ({ k })) };
    },
  } as unknown as Database;
  return { context: { db, storage }, deleted, steps, left: () => left };
}

test('[UPLOAD-2, UPLOAD-9, API-9] only objects that no row names and that are more than 24 hours old are removed, of every prefix and page', async (t) => {
  const pages = {
    'uploads/': [
      [
        { Key: 'uploads/old', LastModified: OLD },
        { Key: 'uploads/young', LastModified: JUST_YOUNG },
      ],
    ],
    'files/': [
      [{ Key: 'files/named', LastModified: OLD }],
      [],
      [{ Key: 'files/old', LastModified: OLD }],
      [
        { Key: 'files/new', LastModified: NOW },
        { Key: 'files/last', LastModified: OLD },
      ],
    ],
    'messages/': [[{ Key: 'messages/old', LastModified: OLD }]],
    '': [[{ Key: 'of another program', LastModified: OLD }]],
  };
  const { context, deleted } = world(t, pages, ['files/named']);
  assert.deepEqual(await sweepObjects(context, NOW), { uploads: 0, objects: 4 });
  assert.deepEqual(deleted, ['uploads/old', 'files/old', 'files/last', 'messages/old']);
});

test('[BACKUP-1] during a backup no object is removed, and unused descriptors are', async (t) => {
  const pages = { 'files/': [[{ Key: 'files/old', LastModified: OLD }]] };
  const { context, deleted } = world(t, pages, [], true, 5);
  assert.deepEqual([await sweepObjects(context, NOW), deleted], [{ uploads: 5, objects: 0 }, []]);
});

test('[UPLOAD-2] unused descriptors are removed in steps, all of them, up to the steps of one sweep', async (t) => {
  for (const [count, steps, removed] of [
    [299, 1, 299],
    [300, 2, 300],
    [901, 4, 901],
    [100_000, 200, 60_000],
  ] as const) {
    const one = world(t, {}, [], false, count);
    assert.deepEqual(await sweepObjects(one.context, NOW), { uploads: removed, objects: 0 });
    assert.deepEqual([one.steps.length, one.left()], [steps, count - removed]);
    assert.deepEqual(one.steps[0], JUST_YOUNG, 'those that began before');
  }
});
