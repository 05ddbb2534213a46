import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { answerIdempotencyKey, claimIdempotencyKey } from '@case-platform/lib/idempotency';
import { announceMessage, retractMessage } from '@case-platform/modules/messaging';
import { findMailTurn, queueSms } from '@case-platform/modules/notifications';
import { beginUpload, confirmUpload, type Storage, sweepObjects } from '@case-platform/modules/storage';
import { createTestDatabase } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { hashOf, seedTwins } from './seed-twins.ts';

/** Limits that are compared with the database's clock, which does not move within a transaction, so each is checked exactly. */

const { db } = await createTestDatabase();
const { people, id } = await db.transaction(seedTwins);
const { ann } = people;
const chain_id = id('message_chain', 'Talk');
const [HOUR, DAY] = ['1 hour', '1 day'];
const PHONE = '+12025550199';

const run = (tx: Transaction, text: string, ...values: (string | number)[]) => tx.query({ text, values });
const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    (error) => {
      if (typeof error.code !== 'string' || /^\d/.test(error.code)) throw error;
      return false;
    },
  );
const countRows = async (tx: Transaction, text: string) => (await run(tx, text)).rows.length;
/** A store that cannot be reached. Only an upload that may be confirmed gets as far as the store. */
const lostStore = {
  settings: { bucket: 'none', endpoint: 'http://localhost', region: 'x', accessKeyId: 'x', secretAccessKey: 'x' },
  client: { send: () => Promise.reject(new Error('away')) },
} as unknown as Storage;
const upload = { user_id: ann.id, purpose: 'photo_id', subject_id: ann.id } as const;
const UPLOAD_ID = '11111111-1111-4111-8111-111111111111';
const addUpload = (tx: Transaction, age: string, claimedFor: string | null = null) =>
  tx.query({
    text: `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at, claimed_at)
           values ($1, $2, 'photo_id', $2, 'a.png', 'image/png', date_trunc('milliseconds', now()) - $3::interval,
                   date_trunc('milliseconds', now()) - $4::interval)`,
    values: [UPLOAD_ID, ann.id, age, claimedFor],
  });
const nowOf = async (tx: Transaction): Promise<Date> => ((await run(tx, 'select now() as at')).rows[0] as { at: Date }).at;
const codeOf = async (tx: Transaction) => {
  const confirmed = confirmUpload(
    tx,
    lostStore,
    { ...upload, file_key: `uploads/${UPLOAD_ID}` },
    await nowOf(tx),
    async () => true,
  );
  return confirmed.then(
    () => 'confirmed',
    (error) => error.code,
  );
};

interface Limit {
  what: string;
  /** The length of the limit, as a PostgreSQL interval. */
  lasts: string;
  /** Returns the result when the limit has lasted this long. It is called for its end, and for just before and after it. */
  at: (tx: Transaction, age: string) => Promise<unknown>;
  within: unknown;
  exactly: unknown;
  beyond: unknown;
}

const LIMITS: Limit[] = [
  {
    what: 'a key whose request runs cannot be used by another one',
    lasts: '2 minutes',
    at: async (tx, age) => {
      await run(tx, `update idempotency_key set created_at = now() - $1::interval`, age);
      return succeeds(claimIdempotencyKey(tx, ann.id, 'running', hashOf('other'), new Date()));
    },
    within: false,
    exactly: false,
    beyond: true,
  },
  {
    what: 'a key gives its answer again',
    lasts: '24 hours',
    at: async (tx, age) => {
      await run(tx, `update idempotency_key set created_at = now() - $1::interval`, age);
      const claim = await claimIdempotencyKey(tx, ann.id, 'answered', hashOf('answered'), new Date());
      if (claim.answer === undefined) await answerIdempotencyKey(tx, claim, { id: 2 });
      return claim.answer;
    },
    within: { id: 1 },
    exactly: { id: 1 },
    beyond: undefined,
  },
  {
    what: 'a message may be taken back',
    lasts: '24 hours',
    at: async (tx, age) => {
      await run(tx, `update message set created_at = now() - $1::interval`, age);
      return succeeds(retractMessage(tx, { chain_id, message_id: id('message', 'Talk-Ann') }, { actor: ann, origin: SYSTEM }));
    },
    within: true,
    exactly: true,
    beyond: false,
  },
  {
    what: 'mails about one conversation are gathered',
    lasts: '10 minutes',
    at: async (tx, age) => {
      await run(tx, 'delete from notification_preference');
      await run(tx, `update message_mail set mailed_at = now() - $1::interval`, age);
      const message_id = id('message', 'Talk-Ada');
      await announceMessage({ db: tx, webUrl: '', adminUrl: '' }, { message_id });
      return countRows(tx, `select from delivery where delivery_key like 'message:%:email:%'`);
    },
    within: 0,
    exactly: 2,
    beyond: 2,
  },
  {
    what: 'a mail counts among those of an address',
    lasts: HOUR,
    at: async (tx, age) => {
      await run(tx, `update delivery set created_at = now() - $1::interval`, age);
      return (await findMailTurn(tx, 'ANN@twins.test', 2)) !== null;
    },
    within: true,
    exactly: false,
    beyond: false,
  },
  {
    what: 'a text counts among the ten of a number',
    lasts: DAY,
    at: async (tx, age) => {
      await run(
        tx,
        `insert into delivery (delivery_key, channel, event, user_id, recipient, state, created_at)
         select 'text-' || n, 'sms', 'phone_changed', $1, $2, 'sent', now() - $3::interval from generate_series(1, 10) n`,
        ann.id,
        PHONE,
        age,
      );
      return (await queueSms(tx, { key: 'next', event: 'phone_changed', to: ann, phone: PHONE, text: 'x' })) !== null;
    },
    within: true,
    exactly: false,
    beyond: false,
  },
  {
    what: 'an upload may be confirmed',
    lasts: '12 hours',
    at: async (tx, age) => {
      await addUpload(tx, age);
      return codeOf(tx);
    },
    within: 'unavailable',
    exactly: 'upload_not_found',
    beyond: 'upload_not_found',
  },
  {
    what: 'an upload is confirmed by one request',
    lasts: '2 minutes',
    at: async (tx, age) => {
      await addUpload(tx, HOUR, age);
      return codeOf(tx);
    },
    within: 'upload_in_progress',
    exactly: 'upload_in_progress',
    beyond: 'unavailable',
  },
  {
    what: 'an upload that was begun counts among the fifty of a person',
    lasts: HOUR,
    at: async (tx, age) => {
      await run(
        tx,
        `insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at, claimed_at)
         select gen_random_uuid(), $1, 'photo_id', $1, 'a.png', 'image/png', date_trunc('milliseconds', now()) - $2::interval,
                case when n % 2 = 0 then now() end
           from generate_series(1, 50) n`,
        ann.id,
        age,
      );
      const file = { filename: 'a.png', content_type: 'image/png' };
      const begin = async (user_id: number) =>
        succeeds(beginUpload(tx, lostStore, { ...upload, user_id, ...file }, await nowOf(tx)));
      return [await begin(ann.id), await begin(people.ben.id)];
    },
    within: [false, true],
    exactly: [true, true],
    beyond: [true, true],
  },
  {
    what: 'an upload that was begun is kept by the sweep',
    lasts: DAY,
    at: async (tx, age) => {
      await addUpload(tx, age);
      // This transaction has the lock of a backup, so the sweep removes rows and no files (BACKUP-1).
      await run(tx, 'select pg_advisory_xact_lock_shared(7214010031)');
      const store = { ...lostStore, client: { send: async () => ({}) } } as unknown as Storage;
      return (await sweepObjects({ db: tx, storage: store }, await nowOf(tx))).uploads;
    },
    within: 0,
    exactly: 0,
    beyond: 1,
  },
];

/** Limits that JavaScript compares are exact to the millisecond. */
const STEP = '1 millisecond';

for (const { what, lasts, at, within, exactly, beyond } of LIMITS)
  test(`[API-9] ${what}: within ${lasts}, at their end, and beyond`, async () => {
    const seen: unknown[] = [];
    for (const age of [`${lasts} -${STEP}`, lasts, `${lasts} ${STEP}`]) seen.push(await undone(db, (tx) => at(tx, age)));
    assert.deepEqual(seen, [within, exactly, beyond]);
  });
