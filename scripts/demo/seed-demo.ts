import type { Database, Transaction } from '@case-platform/lib/database';
import { UnavailableError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { moveDates } from '@case-platform/modules/disbursements';
import { createMissingBucket, type Storage } from '@case-platform/modules/storage';
import { seedBanking } from './seed-banking.ts';
import { seedCases } from './seed-cases.ts';
import { hashDemoPasswords, seedCast } from './seed-cast.ts';
import { seedConversations } from './seed-conversations.ts';
import { seedFiles } from './seed-files.ts';
import { seedMoney } from './seed-money.ts';
import { seedPeople } from './seed-people.ts';

/** Seeds demo data, only outside production and into an empty database (DEMO-1). */

const DEMO_LOCK = 7_214_010_003;

/**
 * Seeds an empty database in one transaction; several processes can try at the same time.
 * @returns false if there already is data.
 */
export async function seedDemo(db: Database, storage: Storage, encryptionKey: string): Promise<boolean> {
  if (await hasData(db)) return false;
  const reachable = await findReachable(storage);
  const hashes = await hashDemoPasswords();
  return db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(${DEMO_LOCK})`);
    if (await hasData(tx)) return false;
    const { caseIds } = await seedCast(tx, encryptionKey, hashes);
    await seedLives(tx, { storage: reachable, encryptionKey, caseIds });
    return true;
  });
}

/** Seeds the activity of the demo's people, after the people themselves (`seedCast`). */
export async function seedLives(
  tx: Transaction,
  { storage, encryptionKey, caseIds }: { storage: Storage | null; encryptionKey: string; caseIds: readonly number[] },
): Promise<void> {
  const people = await seedPeople(tx);
  const cases = await seedCases(tx, people, caseIds);
  const requests = await seedMoney(tx, people, cases);
  await seedBanking({ tx, people, encryptionKey }, requests);
  await promiseCurrentDates(tx);
  const messages = await seedConversations(tx, people, cases);
  if (storage !== null) await seedFiles({ tx, storage, people }, { cases, requests, messages });
}

/** Accounts and files of the past are seeded with requests of today, which moved their days. People know the current ones (WHERE-3). */
async function promiseCurrentDates(tx: Transaction): Promise<void> {
  await query(
    tx,
    sql`delete from graphile_worker._private_jobs j using graphile_worker._private_tasks k
         where k.id = j.task_id and k.identifier in ('mail_moved_dates', 'push_moved_dates')`,
  );
  const rows = await query<{ id: number }>(
    tx,
    sql`update disbursement_request set promised_date = null, promised_before = null, moved_because = null returning id`,
  );
  await moveDates(
    tx,
    rows.map(({ id }) => id),
    { now: new Date() },
  );
}

async function hasData(db: Database): Promise<boolean> {
  return (await query(db, sql`select from user_account limit 1`)).length > 0;
}

/** The storage, or null while it is away. Without it the demo has no attachments. */
async function findReachable(storage: Storage): Promise<Storage | null> {
  try {
    await createMissingBucket(storage);
    return storage;
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}
