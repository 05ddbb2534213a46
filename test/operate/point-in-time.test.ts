import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { syncPermissions } from '@case-platform/modules/accounts';
import type pg from 'pg';
import { hashDemoPasswords, seedCast } from '../../scripts/demo/seed-cast.ts';
import { findBroken } from '../money/money-invariants.ts';
import { CASE_1 } from '../support/cast.ts';
import { addCategories } from '../support/categories.ts';
import { TEST_SECRETS } from '../support/database.ts';
import { catchUp } from '../support/event-reader.ts';
import { bringTo, fundCase } from '../support/money.ts';
import { passTransactions } from '../support/own-cluster.ts';
import { startApi } from '../support/platform.ts';
import { ArchivingServer, listPrograms } from './archiving-server.ts';

const SUMS = `
  select (select json_agg(b order by case_id, account) from ledger_balance b) as balances,
         (select json_agg(p order by transaction_id, account) from ledger_posting p) as postings,
         (select json_agg(json_build_object('id', d.id, 'status', d.status) order by id) from disbursement_request d) as requests,
         (select count(*) from audit_entry) as audit`;

const hashes = await hashDemoPasswords();

async function open(url: string) {
  const pool = createPool({ url, name: 'point-in-time', max: 5 });
  after(() => pool.end());
  return { url, pool, db: createDatabase(pool) };
}

async function sumsOf(pool: pg.Pool): Promise<string> {
  return JSON.stringify((await pool.query(SUMS)).rows);
}

for (const { name, bin } of listPrograms()) {
  test(`[BACKUP-3] ${name}: a lost cluster is restored to the moment between two payments, from a copy and the archive of its log`, async () => {
    const server = new ArchivingServer(bin);
    await server.begin();
    const lost = await open(server.url);
    await migrate(lost.pool);
    await syncPermissions(lost.db);
    await lost.db.transaction((tx) => seedCast(tx, TEST_SECRETS.encryptionKey, hashes));
    await addCategories(lost.pool, [CASE_1]);
    const api = await startApi({ database: lost });
    const people = { maker: await api.as('surrogate'), checker: await api.as('parent') };
    await fundCase(api, CASE_1, 100_000);
    const copy = await server.copy();
    await bringTo(api, people, 'paid', { amount_cents: 30_000 });
    const sumsAtMoment = await sumsOf(lost.pool);
    const { rows } = await lost.pool.query('select clock_timestamp()::text as moment');
    const later = await bringTo(api, people, 'paid', { amount_cents: 500 });
    assert.notEqual(await sumsOf(lost.pool), sumsAtMoment);
    const { lastId } = await catchUp(people.checker);
    await server.archiveAll();
    await server.lose();

    await server.recover(copy, rows[0].moment);
    const recovered = await open(server.url);
    assert.equal(await sumsOf(recovered.pool), sumsAtMoment);
    assert.deepEqual(await findBroken(recovered.pool), {});
    const again = await startApi({ database: recovered });
    const then = { maker: await again.as('surrogate'), checker: await again.as('parent') };
    assert.equal((await then.maker.get(`/api/disbursements/${later}`)).status, 404, 'the later payment does not exist');
    // Someone who was connected loads everything again, even if this history has counted as far as the lost one.
    await passTransactions(recovered.pool, 1000);
    const back = await catchUp(then.checker, lastId);
    assert.deepEqual(
      back.events.map(({ event }) => event),
      ['resync', 'unread'],
    );
    assert.deepEqual(
      (await catchUp(then.checker, back.lastId)).events.map(({ event }) => event),
      ['unread'],
    );
    await bringTo(again, then, 'paid', { amount_cents: 500 });
    assert.deepEqual(await findBroken(recovered.pool), {});
  });
}
