import assert from 'node:assert/strict';
import { SYSTEM } from '@case-platform/lib/audit';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import {
  approveBatch,
  confirmOutcome,
  gatherBatch,
  generateFile,
  getBatch,
  getReturnFile,
  releaseFile,
  setBankAccount,
  setBankProfile,
  settleBatch,
  signFile,
  uploadReturnFile,
} from '@case-platform/modules/banking';
import {
  approveDisbursement,
  createDisbursement,
  getDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import type { UserType } from '@case-platform/words/user-types';
import { BANK } from '../admin/batches/batches-desk.ts';
import { CASE_1, CASE_3 } from '../support/cast.ts';
import { createTestDatabase, TEST_SECRETS } from '../support/database.ts';
import { fundCase } from '../support/money.ts';
import { returnFile } from '../support/return-file.ts';

/** A Monday that is a banking day. */
const MONDAY = new Date('2026-11-23T16:05:00Z');

/** A case with the people who request and approve there. */
export interface Family {
  caseId: number;
  surrogate: User;
  parent: User;
  parent2: User;
}

/**
 * Two families that share nothing, each with money and an active bank account, in a new database, with the commands that bring
 * their payments to the bank. The commands are called directly, with a clock that the test sets.
 */
export async function openTwoFamilies() {
  const { db, pool, url } = await createTestDatabase();
  let moment = MONDAY;
  const now = () => moment;
  const context = { db, now };
  const sealing = { db, encryptionKey: TEST_SECRETS.encryptionKey };

  const person = async (email_address: string, user_type: UserType): Promise<User> => {
    const user = await findActiveUser(db, { email_address, user_type });
    assert.ok(user, email_address);
    return user;
  };
  const staff = {
    root: await person('root@demo.test', 'admin'),
    checker: await person('totp-admin@demo.test', 'admin'),
    maker: await person('finance@demo.test', 'admin'),
    viewer: await person('viewer@demo.test', 'admin'),
  };
  const family: Family = {
    caseId: CASE_1,
    surrogate: await person('surrogate@demo.test', 'surrogate'),
    parent: await person('parent@demo.test', 'ip'),
    parent2: await person('parent2@demo.test', 'ip'),
  };
  const neighbor: Family = {
    caseId: CASE_3,
    surrogate: await person('totp@demo.test', 'surrogate'),
    parent: await person('mailotp@demo.test', 'ip'),
    parent2: await person('smsotp@demo.test', 'ip'),
  };
  const by = (actor: User) => ({ actor, origin: SYSTEM });
  const at = (actor: User) => ({ by: by(actor), now: moment });
  /** The last parameters of a command. */
  const byAndTime = (actor: User) => [by(actor), moment] as const;

  const ask = async (one: Family, amount_cents: number, more: { scheduled_payment_id?: number } = {}) => {
    const wish = { amount_cents, category: 'Travel', description: 'Train', ...more };
    return (await createDisbursement(context, one.caseId, wish, by(one.surrogate))).id;
  };
  const submit = (one: Family, id: number) => submitDisbursement(context, id, by(one.surrogate));
  const versionOf = async (reader: User, id: number) => (await getDisbursement(db, reader, id, moment)).version;
  const approve = async ({ parent }: Family, id: number) => {
    const { version, payee_account } = await getDisbursement(db, parent, id, moment);
    await approveDisbursement(context, id, { version, account_seen: payee_account?.version, reason: 'Agreed' }, by(parent));
  };
  /** Creates a request that waits for a batch. */
  const approved = async (one: Family, amount_cents: number): Promise<number> => {
    const id = await ask(one, amount_cents);
    await submit(one, id);
    await approve(one, id);
    return id;
  };
  const giveAccount = ({ surrogate }: Family, account_number: string) => {
    const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking', account_number };
    return setBankAccount(sealing, surrogate.id, { ...account, account_kind: 'checking' }, at(surrogate));
  };
  const gather = (ids: number[]) => gatherBatch(db, { disbursement_ids: ids, same_day: false }, ...byAndTime(staff.maker));
  const approveAndGenerate = async (batchId: number): Promise<string> => {
    const { list_sha256 } = await getBatch(db, batchId, new Date());
    await approveBatch(db, batchId, list_sha256, ...byAndTime(staff.checker));
    await generateFile(sealing, batchId, list_sha256, ...byAndTime(staff.maker));
    return (await getBatch(db, batchId, new Date())).file_sha256 ?? '';
  };
  /** Brings a batch from draft to the bank. */
  const transmit = async (batchId: number): Promise<void> => {
    const sha256 = await approveAndGenerate(batchId);
    for (const signer of [staff.root, staff.checker]) await signFile(db, batchId, sha256, ...byAndTime(signer));
    await releaseFile(db, batchId, sha256, ...byAndTime(staff.checker));
    await confirmOutcome(db, batchId, { outcome: 'accepted', note: 'Phoned', sha256 }, ...byAndTime(staff.checker));
  };
  const settle = async (batchId: number): Promise<void> => {
    const { list_sha256: sha256 } = await getBatch(db, batchId, new Date());
    await settleBatch(db, batchId, { sha256, early: { reason: 'On the statement' } }, ...byAndTime(staff.checker));
  };
  const traceOf = async (id: number): Promise<string> => {
    const [row] = await query<{ trace_number: string }>(
      db,
      sql`select trace_number from banking_batch_entry where disbursement_id = ${id} and trace_number is not null
           order by id desc limit 1`,
    );
    return row?.trace_number ?? '';
  };
  /** Uploads a return file from the bank, to be confirmed by another person. */
  const takeBack = async (entries: { id: number; cents: number }[], code: string) => {
    const lines = await Promise.all(entries.map(async ({ id, cents }) => ({ code, trace: await traceOf(id), cents })));
    const fileId = await uploadReturnFile(sealing, { filename: 'back.ach', text: returnFile(lines) }, by(staff.root));
    const { version } = await getReturnFile(sealing, staff.checker, fileId);
    return { id: fileId, version: version ?? '' };
  };

  /** Adds a person who takes no part in anything yet. */
  const addPerson = async (name: string, user_type: 'surrogate' | 'ip_rep'): Promise<User> => {
    const [added] = await query<User>(
      db,
      sql`insert into user_account (email_address, user_type, first_name, last_name, status)
          values (${`${name}@parts.test`}, ${user_type}, ${name}, 'Part', 'active')
          returning id, email_address, user_type, first_name, last_name, agency_id, admin_role_id`,
    );
    assert.ok(added);
    return added;
  };

  const profile = { ...BANK, same_day: false, with_notes: false, balanced: false };
  const offset = { offset_routing_number: '', offset_account_number: '', offset_account_kind: 'checking' } as const;
  await setBankProfile(sealing, { ...profile, ...offset }, { by: by(staff.root), version: 'none' });
  moment = new Date(MONDAY.getTime() - 30 * 86_400_000);
  for (const one of [family, neighbor]) {
    await fundCase({ db }, one.caseId, 1_000_000);
    await giveAccount(one, '11112222');
  }
  moment = MONDAY;

  return {
    db,
    pool,
    person,
    addPerson,
    url,
    context,
    sealing,
    staff,
    family,
    neighbor,
    by,
    at,
    byAndTime,
    now,
    /** Sets the clock of all commands. */
    setNow(to: Date | string) {
      moment = new Date(to);
    },
    ask,
    submit,
    versionOf,
    approve,
    approved,
    giveAccount,
    gather,
    approveAndGenerate,
    transmit,
    settle,
    takeBack,
  };
}
