import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import {
  approveBatch,
  cancelBatch,
  confirmOutcome,
  confirmReturnFile,
  downloadFile,
  findBankProfile,
  generateFile,
  getBatch,
  profileVersion,
  refuseReturnFile,
  releaseFile,
  removeFromBatch,
  setBankProfile,
  settleBatch,
  signFile,
} from '@case-platform/modules/banking';
import {
  addParticipant,
  addScheduledPayment,
  addToTeam,
  cancelScheduledPayment,
  changeCaseStatus,
  remindOfClosing,
  removeFromTeam,
  removeParticipant,
  setEscrowSpecialist,
  updateCase,
} from '@case-platform/modules/cases';
import {
  addBenefit,
  cancelDisbursement,
  changeBenefit,
  denyDisbursement,
  getDisbursement,
  linkChain,
  removeBenefit,
  retryDisbursement,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { confirmCashEntry, listWaitingCashEntries, recordCashEntry, refuseCashEntry } from '@case-platform/modules/ledger';
import { BANK } from '../admin/batches/batches-desk.ts';
import { CASE_2 } from '../support/cast.ts';
import { watchRows } from '../support/row-changes.ts';
import { committedLines, spreadIds, valueWords, watchLocks, writeLocks } from '../support/written-values.ts';
import { type Family, openTwoFamilies } from './two-families.ts';

const world = await openTwoFamilies();
await spreadIds(world);
const { db, pool, context, sealing, by, byAndTime, ask, submit, versionOf, approve, giveAccount, gather, takeBack } = world;
const { root, checker, maker, viewer } = world.staff;
/** A command for one family must not change rows of the other. */
const FAMILIES = [world.family, world.neighbor];

const changes = await watchRows(db);
const locks = watchLocks(pool);
const compareValues = committedLines(new URL('values.txt', import.meta.url));
/** The world's clock is fixed, but the database has its own. */
const EXACT = { timesBefore: new Date('2026-11-26'), daysBefore: '2027-02-01' };
/** The sections that each command has written: what is the same again refers to the first one. */
const sections = new Map<string, string[]>();
/** The neighbor's commands write the values of the family's with other ids. */
let isListed = true;

/** Every row of the database by its table and primary key, such as `ledger_balance 1 cash`. */
const EVERY_ROW = await readTables();
async function readTables(): Promise<string> {
  const { rows } = await pool.query<{ name: string; key: string[] }>(
    `select c.relname as name, array_agg(quote_ident(a.attname) order by array_position(i.indkey::int2[], a.attnum)) as key
       from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indisprimary and c.relnamespace = 'public'::regnamespace and has_table_privilege(c.oid, 'select')
      group by c.relname`,
  );
  // The only table without a primary key.
  return [...rows, { name: 'case_benefit', key: ['case_id', 'category'] }]
    .map(({ name, key }) => `select concat_ws(' ', '${name}', ${key.join(', ')}) as key, md5(t::text) as content from ${name} t`)
    .join(' union all ');
}
async function readRows(): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ key: string; content: string }>(EVERY_ROW);
  return new Map(rows.map(({ key, content }) => [key, content]));
}

/** Rows that every command may change, because the platform counts and records calls there. */
const OWN_BOOKS = /^(idempotency_key|call_count|throttle|worker_heartbeat) /;

/**
 * Runs a command that must change or delete exactly these existing rows, and write the values (audit entries and jobs too) and take
 * the locks of values.txt.
 */
async function assertChanges<Result>(what: string, expected: string[], command: () => Promise<Result>): Promise<Result> {
  const before = await readRows();
  let result: Result | undefined;
  const { changed: values, taken } = await locks.during(() =>
    changes.during(db, async () => {
      result = await command();
    }),
  );
  const after = await readRows();
  const keys = [...before].flatMap(([key, content]) => (after.get(key) === content || OWN_BOOKS.test(key) ? [] : [key]));
  const existing = expected.filter((key) => before.has(key));
  assert.deepEqual(keys.sort(), existing.sort(), what);
  if (isListed) {
    const words = valueWords(new Map(), EXACT);
    const lines = [...values.values(words), ...writeLocks(taken, words)];
    const earlier = sections.get(what) ?? [];
    const same = earlier.indexOf(lines.join('\n')) + 1;
    sections.set(what, [...earlier, lines.join('\n')]);
    compareValues(`${what}, ${earlier.length + 1}`, same === 0 ? lines : [`as ${same}`]);
  }
  return result as Result;
}

const NOT_BALANCED = {
  same_day: false,
  with_notes: false,
  balanced: false,
  offset_routing_number: '',
  offset_account_number: '',
  offset_account_kind: 'checking',
} as const;

const request = (...ids: number[]) => ids.map((id) => `disbursement_request ${id}`);
const balance = (caseId: number, ...accounts: ('cash' | 'funds' | 'held')[]) =>
  accounts.map((account) => `ledger_balance ${caseId} ${account}`);
const idsOf = async (statement: ReturnType<typeof sql>) => (await query<{ id: number }>(db, statement)).map(({ id }) => id);
const entriesOf = async (batchId: number, ...ids: number[]) =>
  (
    await idsOf(sql`select id from banking_batch_entry where batch_id = ${batchId} and released_at is null
                      and disbursement_id = any(${ids}::bigint[]) order by id`)
  ).map((id) => `banking_batch_entry ${id}`);
const accountOf = async ({ surrogate }: Family) => {
  const [id] = await idsOf(sql`select id from payee_bank_account where user_id = ${surrogate.id} and replaced_at is null`);
  return `payee_bank_account ${id}`;
};
/** Takes a batch from draft to the bank; each step changes only its own batch and payments. */
async function sendToBank(batchId: number, ids: number[]): Promise<void> {
  const own = `banking_batch ${batchId}`;
  const seen = await getBatch(db, batchId, new Date());
  await assertChanges('approve a batch', [own], () => approveBatch(db, batchId, seen.list_sha256, ...byAndTime(checker)));
  await assertChanges(
    'generate the file of a batch',
    [own, 'bank_profile t', ...request(...ids), ...(await entriesOf(batchId, ...ids))],
    () => generateFile(sealing, batchId, seen.list_sha256, ...byAndTime(maker)),
  );
  const sha256 = (await getBatch(db, batchId, new Date())).file_sha256 ?? '';
  for (const signer of [root, checker])
    await assertChanges('sign a file', [], () => signFile(db, batchId, sha256, ...byAndTime(signer)));
  for (const outcome of ['refused', 'accepted'] as const) {
    await assertChanges('hand a file out', [own], () => releaseFile(db, batchId, sha256, ...byAndTime(checker)));
    const [what, changed] = outcome === 'accepted' ? ['has', [own, ...request(...ids)]] : ['lacks', [own]];
    await assertChanges(`confirm that the bank ${what} it`, changed, () =>
      confirmOutcome(db, batchId, { outcome, note: 'Phoned', sha256 }, ...byAndTime(checker)),
    );
  }
}

async function settle(family: Family, batchId: number, ids: number[], lines: number[] = []): Promise<void> {
  const { list_sha256: sha256 } = await getBatch(db, batchId, new Date());
  const expected = [`banking_batch ${batchId}`, ...request(...ids), ...balance(family.caseId, 'cash', 'held')];
  await assertChanges('settle a batch', [...expected, ...lines.map((id) => `scheduled_payment ${id}`)], () =>
    settleBatch(db, batchId, { sha256, early: { reason: 'It is on the statement' } }, ...byAndTime(checker)),
  );
}

test('[LEDGER-4, AUDIT-1] each command about money changes rows of its own case, batch, and payee only, and is in the audit log', async () => {
  const plan = (family: Family, category: string) =>
    addScheduledPayment(
      db,
      family.caseId,
      { category, description: '', due_date: '2026-12-01', amount_cents: 400, payee_id: family.surrogate.id },
      by(root),
    );
  const state = new Map<Family, { ids: number[]; lines: number[]; batches: number[] }>();
  const of = (family: Family) => state.get(family) as { ids: number[]; lines: number[]; batches: number[] };
  /** Runs each step for one family before and after the other family has taken it. */
  const forBoth = async (work: (family: Family) => Promise<void>) => {
    for (const family of FAMILIES) {
      isListed = family === world.family;
      await work(family);
    }
    isListed = true;
  };

  await forBoth(async (family) => {
    const lines = [(await plan(family, 'Travel')).id, (await plan(family, 'Travel')).id];
    await plan(family, 'Travel');
    const ids = [await ask(family, 400, { scheduled_payment_id: lines[0] ?? 0 }), await ask(family, 20), await ask(family, 30)];
    state.set(family, { ids, lines, batches: [] });
  });
  await forBoth(async (family) => {
    const [, second = 0, third = 0] = of(family).ids;
    await assertChanges('change a draft', request(second), () =>
      updateDisbursement(context, second, { amount_cents: 21 }, by(family.surrogate)),
    );
    await assertChanges('submit', request(second), () => submit(family, second));
    await assertChanges('deny', request(second), async () =>
      denyDisbursement(context, second, { version: await versionOf(family.parent, second), reason: 'No' }, by(family.parent)),
    );
    await assertChanges('cancel', request(third), () => cancelDisbursement(context, third, by(family.surrogate)));
    of(family).ids = [of(family).ids[0] ?? 0, await ask(family, 20), await ask(family, 30)];
    for (const id of of(family).ids) await submit(family, id);
  });
  await forBoth(async (family) => {
    for (const id of of(family).ids)
      await assertChanges('approve', [...request(id), ...balance(family.caseId, 'funds', 'held')], () => approve(family, id));
  });
  await forBoth(async (family) => {
    const { ids, batches } = of(family);
    const [first = 0, second = 0, third = 0] = ids;
    const batch = await assertChanges('gather', request(...ids), () => gather(ids));
    await assertChanges(
      'take a request out of a batch',
      [`banking_batch ${batch}`, ...request(third), ...(await entriesOf(batch, third))],
      () => removeFromBatch(db, batch, third, ...byAndTime(maker)),
    );
    batches.push(batch, await gather([third]));
    const { entry_count, total_cents } = await getBatch(db, batch, new Date());
    assert.deepEqual([entry_count, total_cents], [2, 420], 'the batch pays its requests without the removed one');
    assert.deepEqual([first, second, third], ids);
  });
  await forBoth(async (family) => {
    const { ids, batches } = of(family);
    const [batch = 0, other = 0] = batches;
    await sendToBank(batch, ids.slice(0, 2));
    await world.approveAndGenerate(other);
    const third = ids[2] ?? 0;
    await assertChanges('cancel a batch', [`banking_batch ${other}`, ...request(third), ...(await entriesOf(other, third))], () =>
      cancelBatch(db, other, 'Entered twice', ...byAndTime(maker)),
    );
    const { bank_date } = (await pool.query('select bank_date from disbursement_request where id = $1', [third])).rows[0];
    assert.equal(bank_date, null, 'a file that was not sent leaves no bank date');
  });
  await forBoth(async (family) =>
    settle(family, of(family).batches[0] ?? 0, of(family).ids.slice(0, 2), of(family).lines.slice(0, 1)),
  );

  // The payment comes back, is paid again in another batch, and comes back a second time.
  for (const [times, code] of [
    [1, 'R17'],
    [2, 'R01'],
  ] as const)
    await forBoth(async (family) => {
      const { ids, lines, batches } = of(family);
      const [first = 0] = ids;
      const file = await assertChanges('take a return file in', [], () => takeBack([{ id: first, cents: 400 }], code));
      const paidBy = batches.at(times === 1 ? 0 : -1) ?? 0;
      await assertChanges(
        'confirm a return file',
        [
          `bank_return_file ${file.id}`,
          await accountOf(family),
          `scheduled_payment ${lines[0]}`,
          ...request(first),
          ...balance(family.caseId, 'cash', 'funds'),
          ...(await entriesOf(paidBy, first)),
        ],
        () => confirmReturnFile(sealing, file, ...byAndTime(checker)),
      );
      await assertChanges('pay again', [...request(first), ...balance(family.caseId, 'funds', 'held')], () =>
        retryDisbursement(context, first, { reason: 'The bank says sorry' }, by(root)),
      );
      const again = await gather([first]);
      batches.push(again);
      await sendToBank(again, [first]);
      await settle(family, again, [first], lines.slice(0, 1));
    });

  await forBoth(async (family) => {
    const [, , third = 0] = of(family).ids;
    await assertChanges(
      'change a bank account',
      [await accountOf(family), ...request(third), ...balance(family.caseId, 'funds', 'held')],
      () => giveAccount(family, '33334444'),
    );
    await assertChanges('submit again', request(third), () => submit(family, third));
    await approve(family, third);
    await assertChanges('change an approved request', [...request(third), ...balance(family.caseId, 'funds', 'held')], () =>
      updateDisbursement(context, third, { amount_cents: 29 }, by(family.surrogate)),
    );
    await assertChanges('cancel a planned payment', [`scheduled_payment ${of(family).lines[1]}`], () =>
      cancelScheduledPayment(db, family.caseId, of(family).lines[1] ?? 0, by(root)),
    );
  });
});

test('[BATCH-6, BANK-3] a cancelled batch removes the approvals for a changed account, and not those of another payee', async () => {
  const { family, neighbor } = world;
  const batches: { batch: number; id: number }[] = [];
  for (const [one, number] of [
    [family, '55556666'],
    [neighbor, '77778888'],
  ] as const) {
    const id = await ask(one, 50);
    await submit(one, id);
    await approve(one, id);
    // The accounts that other tests changed have cooled off.
    await pool.query('update payee_bank_account set usable_from = created_at');
    const batch = await gather([id]);
    await world.approveAndGenerate(batch);
    await giveAccount(one, number);
    batches.push({ batch, id });
  }
  const later = await ask(neighbor, 60);
  await submit(neighbor, later);
  await approve(neighbor, later);
  const [{ batch, id } = { batch: 0, id: 0 }] = batches;
  await assertChanges(
    'cancel a batch with a changed account',
    [`banking_batch ${batch}`, ...request(id), ...(await entriesOf(batch, id)), ...balance(family.caseId, 'funds', 'held')],
    () => cancelBatch(db, batch, 'The account changed', ...byAndTime(maker)),
  );
  assert.equal((await getDisbursement(db, neighbor.surrogate, later, world.now())).status, 'approved');
});

test('[LEDGER-4, AUDIT-1] each command about a case changes only its own rows of that case, and is in the audit log', async () => {
  const caseOf = ({ caseId }: Family) => `case_file ${caseId}`;
  const benefit = (category: string, cap_cents: number) => ({
    category,
    cap_cents,
    period: 'case' as const,
    note: '',
    compensation: false,
  });
  const benefitRow = ({ caseId }: Family, category: string) => [`case_benefit ${caseId} ${category}`];
  for (const { caseId } of FAMILIES)
    for (const category of ['Gifts', 'Lodging', 'Shoes']) await addBenefit(db, caseId, benefit(category, 5), by(root));
  for (const { caseId } of FAMILIES) await addToTeam(db, caseId, maker.id, by(root));
  const { family } = world;
  const { caseId, parent2 } = family;
  // This person is on another case, too.
  await addParticipant(db, CASE_2, { email_address: parent2.email_address, user_type: 'ip' }, by(root));

  await assertChanges('change what the contract allows', benefitRow(family, 'Gifts'), () =>
    changeBenefit(db, caseId, benefit('Gifts', 6), by(root)),
  );
  await assertChanges('remove a limit', benefitRow(family, 'Lodging'), () => removeBenefit(db, caseId, 'Lodging', by(root)));

  await assertChanges('add to the team', [caseOf(family)], () => addToTeam(db, caseId, viewer.id, by(root)));
  await assertChanges('remove from the team', [caseOf(family), `case_admin ${caseId} ${maker.id}`], () =>
    db.transaction((tx) => removeFromTeam(tx, caseId, maker.id, by(root))),
  );
  const place = `case_participant ${caseId} ${parent2.id}`;
  await assertChanges('remove a person', [caseOf(family), place], () =>
    db.transaction((tx) => removeParticipant(tx, caseId, parent2.id, by(root))),
  );
  await assertChanges('add a person again', [caseOf(family), place], () =>
    addParticipant(db, caseId, { email_address: parent2.email_address, user_type: 'ip' }, by(root)),
  );
  await assertChanges('change the details', [caseOf(family)], () =>
    updateCase(db, caseId, { close_due_on: '2026-11-30' }, by(root), async () => {}),
  );
  await assertChanges('remind of closing', [caseOf(family)], () =>
    remindOfClosing({ db, webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' }, world.now()),
  );
  await assertChanges('set the escrow specialist', [caseOf(family)], () =>
    db.transaction((tx) => setEscrowSpecialist(tx, caseId, root.id, by(root))),
  );
  await assertChanges('change the state', [caseOf(family)], () => changeCaseStatus(db, caseId, 'on_hold', by(root)));
  await changeCaseStatus(db, caseId, 'active', by(root));

  const record = (at: Family) => recordCashEntry(db, at.caseId, { kind: 'deposit', amount_cents: 5, memo: 'In' }, by(root));
  const waiting = [];
  for (const at of [...FAMILIES, ...FAMILIES]) waiting.push(await record(at));
  const seen = (id: number | undefined) =>
    listWaitingCashEntries(db, checker, 100).then((all) => all.find((one) => one.id === id) as (typeof all)[number]);
  const [confirmed, , refused] = [await seen(waiting[0]), null, await seen(waiting[2])];
  await assertChanges('confirm a deposit', [`cash_entry ${confirmed.id}`, ...balance(caseId, 'cash', 'funds')], () =>
    confirmCashEntry(db, confirmed, by(checker)),
  );
  await assertChanges('refuse a deposit', [`cash_entry ${refused.id}`], () =>
    refuseCashEntry(db, { ...refused, reason: 'Not on the statement' }, by(checker)),
  );
});

test('[LEDGER-4, AUDIT-1] commands beside the way of a payment change only their own rows, and are in the audit log', async () => {
  const { family } = world;
  const id = await assertChanges('write a request', [], () => ask(family, 70));
  const [chainId = 0] = await idsOf(sql`
    insert into message_chain (subject, case_id, is_group, created_by, last_message_id)
    values ('Train', ${family.caseId}, true, ${family.surrogate.id}, 0) returning id`);
  await query(
    db,
    sql`with first as (
               insert into message (chain_id, from_id, from_type, to_admin, message)
               values (${chainId}, ${family.surrogate.id}, 'surrogate', true, 'Train') returning id),
             latest as (update message_chain set last_message_id = first.id from first where message_chain.id = ${chainId})
        insert into message_chain_group (chain_id, user_id, last_message_id) select ${chainId}, ${family.surrogate.id}, id from first`,
  );
  const link = () => linkChain(context, { id, chainId }, by(family.surrogate));
  await assertChanges('link a conversation', request(id), link);
  await assertChanges('link it again', [], link);
  await submit(family, id);
  await approve(family, id);
  await pool.query('update payee_bank_account set usable_from = created_at');
  const batchId = await gather([id]);
  const sha256 = await world.approveAndGenerate(batchId);
  for (const signer of [root, checker]) await signFile(db, batchId, sha256, ...byAndTime(signer));
  await releaseFile(db, batchId, sha256, ...byAndTime(checker));
  await assertChanges('download a file again', [], () => downloadFile(sealing, batchId, by(checker)));
  await assert.rejects(downloadFile(sealing, batchId, by(maker)), { code: 'not_yours' });
  await confirmOutcome(db, batchId, { outcome: 'accepted', note: 'Phoned', sha256 }, ...byAndTime(checker));
  const file = await takeBack([{ id, cents: 70 }], 'R01');
  await assertChanges('refuse a return file', [`bank_return_file ${file.id}`], () =>
    refuseReturnFile(sealing, { ...file, reason: 'Of another bank' }, by(checker)),
  );
  const profile = await findBankProfile(db);
  assert.ok(profile);
  const version = profileVersion(profile);
  await assertChanges('set the details of our bank', ['bank_profile t'], () =>
    setBankProfile(sealing, { ...BANK, ...NOT_BALANCED, bank_name: 'Bank of Fernhill' }, { by: by(root), version }),
  );
});
