import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { createDatabase, type Transaction } from '@case-platform/lib/database';
import { query, sql, trustedSql } from '@case-platform/lib/sql';
import { assignmentVersion, findUser, getRole, listRoleGrants } from '@case-platform/modules/accounts';
import {
  accountVersion,
  findBankAccount,
  findBankProfile,
  getReturnFile,
  profileVersion,
  setBankAccount,
  useCorrection,
} from '@case-platform/modules/banking';
import { getDisbursement } from '@case-platform/modules/disbursements';
import { listCaseCashEntries, recordCashEntry } from '@case-platform/modules/ledger';
import pg from 'pg';
import { flagAccount } from '../../modules/banking/bank-accounts/flag-account.ts';
import { createAccountSeal } from '../../modules/banking/bank-accounts/seal-account-number.ts';
import { serverUrl, TEST_SECRETS } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { openTwoFamilies } from './two-families.ts';

/**
 * A version stands for everything that a person saw before a decision. For each kind of version, this lists the changes that make
 * another one, and some that do not. A part that is missing in a version would let a decision about something else pass.
 */

const world = await openTwoFamilies();
const { pool, url, sealing, by, at, family, neighbor } = world;
const { root, checker, maker, viewer } = world.staff;
const { surrogate, parent } = family;
const rowOf = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows[0];

const requestId = await world.ask(family, 1000);
await world.submit(family, requestId);
const draftId = await world.ask(family, 1001);
const sentId = await world.approved(neighbor, 1002);
await world.transmit(await world.gather([sentId]));
const returnFile = await world.takeBack([{ id: sentId, cents: 1002 }], 'R01');
await recordCashEntry(world.db, family.caseId, { kind: 'deposit', amount_cents: 500, memo: 'Wire' }, by(root));
const entry = await rowOf('select max(id)::int as id from cash_entry');
const role = await rowOf('select admin_role_id::int as id from user_account where id = $1', [viewer.id]);
const grant = await rowOf('insert into role_grant (admin_role_id, user_id, asked_by) values ($1, $2, $3) returning id::int', [
  role.id,
  maker.id,
  root.id,
]);
const roleGrant = await rowOf(
  `insert into role_grant (admin_role_id, permissions, asked_by) values ($1, '{make_payments}', $2) returning id::int`,
  [role.id, root.id],
);

// Only the owner of the server can change rows without triggers and foreign keys.
const owners = new pg.Pool({ connectionString: serverUrl(new URL(url).pathname.slice(1)), max: 1 });
const ownersDb = createDatabase(owners);

interface Version {
  /** Statements that come before both readings. */
  given?: string[];
  read: (tx: Transaction) => Promise<string | null | undefined>;
  /** The statements that each make another version. */
  changes: string[];
  /** Those that leave the version as it is. */
  others?: string[];
}

const update = (table: string, id: number, ...changes: string[]) =>
  changes.map((change) => `update ${table} set ${change} where id = ${id}`);
const ofAccount = (change: string) =>
  `update payee_bank_account set ${change} where user_id = ${surrogate.id} and replaced_at is null`;
/** A copy of the current account with another number, which replaces it. */
const REPLACED = `with old as (${ofAccount('replaced_at = now()')} returning *)
  insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                  created_by, created_at, usable_from)
  select user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind, created_by, created_at,
         usable_from from old`;
const addReceipt = (id: number) =>
  `insert into disbursement_file (id, disbursement_id, filename, content_type, size, storage_key, uploaded_by)
   overriding system value
   values (${id}, ${requestId}, 'a.pdf', 'application/pdf', 1, 'receipt-${id}', ${surrogate.id})`;
const ROLE_CHANGES = [
  ...update('admin_role', role.id, "name = 'Another name', updated_at = now()"),
  `delete from admin_role_permission where admin_role_id = ${role.id} and permission =
     (select min(permission) from admin_role_permission where admin_role_id = ${role.id})`,
  `insert into admin_role_permission (admin_role_id, permission) values (${role.id}, 'make_payments')`,
  `update admin_role_permission set permission = 'approve_drs' where admin_role_id = ${role.id} and permission =
     (select min(permission) from admin_role_permission where admin_role_id = ${role.id})`,
];
const versionOfGrant = async (tx: Transaction, grantId: number) =>
  (await listRoleGrants(tx, checker)).find(({ id }) => Number(id) === grantId)?.version;

const VERSIONS: Record<string, Version> = {
  'a bank account': {
    read: async (tx) => accountVersion(await findBankAccount(tx, surrogate.id)),
    changes: [
      REPLACED,
      ofAccount('replaced_at = now()'),
      ofAccount("flag_code = 'R02', flagged_at = now()"),
      ofAccount("flag_code = 'C01', flagged_at = now(), correction = '\\x00'"),
    ],
    others: [ofAccount("usable_from = usable_from + interval '1 day'"), ofAccount("holder_name = 'Other Person'")],
  },
  'a request': {
    read: async (tx) => (await getDisbursement(tx, parent, requestId, world.now())).version,
    changes: [
      ...update(
        'disbursement_request',
        requestId,
        'amount_cents = 1001',
        "category = 'Other'",
        "description = 'Train and taxi'",
        `payee_id = ${parent.id}`,
      ),
      addReceipt(1002),
      REPLACED,
      ofAccount('replaced_at = now()'),
    ],
    others: update('disbursement_request', requestId, 'updated_at = now()', `approver_id = ${parent.id}`),
  },
  'a request with a receipt for a payee without an account': {
    given: ['update payee_bank_account set replaced_at = now() where replaced_at is null', addReceipt(1001)],
    read: async (tx) => (await getDisbursement(tx, parent, requestId, world.now())).version,
    changes: [
      ...update('disbursement_request', requestId, `payee_id = ${family.parent2.id}`),
      addReceipt(1002),
      `delete from disbursement_file where disbursement_id = ${requestId}`,
      `with old as (delete from disbursement_file where disbursement_id = ${requestId}) ${addReceipt(1002)}`,
    ],
  },
  'a request whose content the reader may not read': {
    read: async (tx) => (await getDisbursement(tx, root, draftId, world.now())).version,
    changes: update('disbursement_request', draftId, "updated_at = updated_at + interval '1 millisecond'"),
  },
  'a deposit that waits': {
    read: async (tx) => {
      const cases = [family.caseId, neighbor.caseId];
      const lists = await Promise.all(cases.map((caseId) => listCaseCashEntries(tx, root, caseId)));
      return lists.flat().find(({ id }) => Number(id) === entry.id)?.version;
    },
    changes: update(
      'cash_entry',
      entry.id,
      `case_id = ${neighbor.caseId}`,
      "kind = 'refund'",
      'amount_cents = 501',
      "memo = 'Another wire'",
      `recorded_by = ${checker.id}`,
    ),
    others: update('cash_entry', entry.id, "recorded_at = now() + interval '1 day'"),
  },
  'a role': {
    read: async (tx) => (await getRole(tx, role.id)).version,
    changes: ROLE_CHANGES,
    others: [`insert into admin_role (name) values ('Unrelated')`],
  },
  'a person’s role and waiting grants': {
    read: async (tx) => {
      const user = await findUser(tx, maker.id);
      return assignmentVersion(user?.admin_role_id ?? null, await listRoleGrants(tx, checker, { user_id: maker.id }));
    },
    changes: [
      `update user_account set admin_role_id = ${role.id} where id = ${maker.id}`,
      `update user_account set admin_role_id = null where id = ${maker.id}`,
      `delete from role_grant where id = ${grant.id}`,
      `with old as (delete from role_grant where id = ${grant.id} returning *)
       insert into role_grant (admin_role_id, user_id, asked_by) select admin_role_id, user_id, asked_by from old`,
    ],
    others: [`update user_account set first_name = 'Other' where id = ${maker.id}`],
  },
  'a person’s waiting grant': {
    read: (tx) => versionOfGrant(tx, grant.id),
    changes: [
      ...ROLE_CHANGES,
      ...update('role_grant', grant.id, `user_id = ${viewer.id}`, `asked_by = ${viewer.id}`),
      ...update(
        'user_account',
        maker.id,
        `admin_role_id = ${role.id}`,
        "status = 'deactivated'",
        "email_address = 'x@demo.test'",
      ),
    ],
    others: update('user_account', maker.id, "first_name = 'Other'"),
  },
  'a role’s waiting permissions': {
    read: (tx) => versionOfGrant(tx, roleGrant.id),
    changes: [...ROLE_CHANGES, ...update('role_grant', roleGrant.id, "permissions = '{make_payments,approve_drs}'")],
    others: [`delete from role_grant where id = ${grant.id}`],
  },
  'the details of our bank': {
    read: async (tx) => profileVersion(await findBankProfile(tx)),
    changes: ["update bank_profile set bank_name = 'Other Bank', updated_at = now()", 'delete from bank_profile'],
    others: ['update bank_profile set next_trace_sequence = next_trace_sequence + 1'],
  },
  'a return file': {
    read: async (tx) => (await getReturnFile({ ...sealing, db: tx }, checker, returnFile.id)).version,
    changes: [
      `update banking_batch_entry set amount_cents = amount_cents + 1 where disbursement_id = ${sentId}`,
      `update banking_batch_entry set returned_at = now(), return_code = 'R01' where disbursement_id = ${sentId}`,
      `update banking_batch_entry set released_at = now() where disbursement_id = ${sentId}`,
      `update banking_batch_entry set id = default where disbursement_id = ${sentId}`,
      `update banking_batch_entry set trace_number = '091000010000099' where disbursement_id = ${sentId}`,
    ],
    others: [`update bank_return_file set filename = 'other.ach' where id = ${returnFile.id}`],
  },
};

/** Reads a version in a world with a change, which is then undone. */
const readAfter = (change: string | undefined, { given = [], read }: Version) =>
  undone(ownersDb, async (tx) => {
    await query(tx, sql`set local session_replication_role = replica`);
    for (const statement of change === undefined ? given : [...given, change]) await query(tx, trustedSql(statement));
    const version = await read(tx);
    assert.ok(version, `nothing to read after: ${change}`);
    return version;
  });

describe('[PERSON-6] what a version contains', () => {
  after(() => owners.end());
  for (const [what, version] of Object.entries(VERSIONS))
    test(`the version of ${what} changes with everything that a person decides about`, async () => {
      const before = await readAfter(undefined, version);
      assert.equal(await readAfter(undefined, version), before, 'the same version again');
      for (const change of version.changes) assert.notEqual(await readAfter(change, version), before, change);
      for (const change of version.others ?? []) assert.equal(await readAfter(change, version), before, change);
    });
});

test('[RETURN-5, PERSON-6] an account that the bank flags while its form is open is neither changed nor corrected by that form', async () => {
  const seal = createAccountSeal(TEST_SECRETS.encryptionKey);
  const current = async () => findBankAccount(world.db, surrogate.id);
  const flag = async (code: string, time: string) => {
    const bankAccountId = (await current())?.id ?? 0;
    const correction = code.startsWith('C') ? { account_number: '55667788' } : null;
    await world.db.transaction((tx) =>
      flagAccount(tx, seal, { bankAccountId, code, correction, by: { actor: null, origin: SYSTEM } }, new Date(time)),
    );
  };
  const input = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking', account_number: '77778888' };
  const account = { ...input, account_kind: 'checking' as const };
  for (const [code, time] of [
    ['C01', '2026-11-23T16:06:00Z'],
    ['C01', '2026-11-23T16:07:00Z'],
    ['R02', '2026-11-23T16:08:00Z'],
  ] as const) {
    const opened = accountVersion(await current());
    await flag(code, time);
    const flagged = await current();
    const form = { ...at(root), version: opened };
    await assert.rejects(setBankAccount(sealing, surrogate.id, account, form), { code: 'changed' }, `saved after ${code}`);
    await assert.rejects(useCorrection(sealing, surrogate.id, form), { code: 'changed' }, `corrected after ${code}`);
    assert.deepEqual(await current(), flagged);
  }
  const saved = await setBankAccount(sealing, surrogate.id, account, { ...at(root), version: accountVersion(await current()) });
  assert.deepEqual([saved.last_four, saved.flag_code], ['8888', null], 'after seeing the complaint, it is saved');
});
