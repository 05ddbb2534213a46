import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { confirmGrant, listRoleGrants, listWaitingRoleGrants, type User } from '@case-platform/modules/accounts';
import {
  approveBatch,
  confirmOutcome,
  confirmReturnFile,
  getBatch,
  getReturnFile,
  listReturnFiles,
  listWaitingBatches,
  listWaitingReturnFiles,
  releaseFile,
  settleBatch,
  signFile,
} from '@case-platform/modules/banking';
import {
  approveDisbursement,
  askQuestion,
  clearStop,
  denyDisbursement,
  getDisbursement,
  listDisbursements,
  listHomeRequests,
  listPayees,
  listPaymentStops,
  mailDisbursement,
  mailPaymentStop,
  mailStoppedPayments,
  reassignApprovalsOf,
  retryDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import { confirmCashEntry, listCaseCashEntries, listWaitingCashEntries, recordCashEntry } from '@case-platform/modules/ledger';
import { openTwoFamilies } from '../money/two-families.ts';
import { undone } from '../support/undone.ts';

/**
 * Every read, list, notice, and step that leaves someone out because another of their records has a part (PERSON-1, PERSON-2). In
 * other tests one person often has several parts, such as writer and payee, and then the wrong column excludes the right person.
 * Here each part is a person of its own, and the reader becomes one with each of them in turn.
 */

const world = await openTwoFamilies();
const { db, context, sealing, family, staff, by, now } = world;
const { root, maker: finance, checker } = staff;
const { surrogate, parent, caseId } = family;
const URLS = { webUrl: 'http://web.test', adminUrl: 'http://admin.test' };

const [writer, sender, reviser, setter, corrector, raiser, signer, nobody] = await Promise.all(
  ['writer', 'sender', 'reviser', 'setter', 'corrector', 'raiser', 'signer', 'nobody'].map((name) =>
    world.addPerson(name, 'ip_rep'),
  ),
);
assert.ok(writer && sender && reviser && setter && corrector && raiser && signer && nobody);
await query(db, sql`insert into case_participant (case_id, user_id, position) values (${caseId}, ${writer.id}, 90)`);
await query(
  db,
  sql`update payee_bank_account set created_by = ${setter.id}, entered_by = ${[corrector.id]}
       where user_id = ${surrogate.id} and replaced_at is null`,
);

/** The parts in a request and its payment. */
const PARTS = {
  writer,
  sender,
  reviser,
  payee: surrogate,
  'setter of the account': setter,
  'earlier setter of the account': corrector,
  approver: parent,
  'raiser of the alarm': raiser,
  'maker of the batch': finance,
  'approver of the batch': checker,
  signer,
  // A reader other than the administrator is joined with these.
  'recorder of the deposit': root,
  'uploader of the file': root,
  'asker for the role': root,
  'person who gets the role': staff.viewer,
  'no one': nobody,
} satisfies Record<string, User>;
type Part = keyof typeof PARTS;
const ACCOUNT: Part[] = ['setter of the account', 'earlier setter of the account'];
/** Those who decide nothing about a request (PERSON-5), and those who do nothing with a batch (BATCH-3). */
const OF_REQUEST: Part[] = ['writer', 'sender', 'reviser', 'payee', ...ACCOUNT];
const OF_BATCH: Part[] = ['maker of the batch', 'payee', ...ACCOUNT];

/** Brings a request to a state, and then makes each of its parts another person's. */
async function request(status: 'draft' | 'submitted' | 'approved'): Promise<number> {
  const id = await world.ask(family, 12_345);
  if (status !== 'draft') await world.submit(family, id);
  if (status === 'approved') await world.approve(family, id);
  return part(id);
}

async function part(id: number): Promise<number> {
  await query(
    db,
    sql`update disbursement_request set created_by = ${writer?.id ?? 0}, submitted_by = ${sender?.id ?? 0},
               revised_by = ${[reviser?.id ?? 0]} where id = ${id}`,
  );
  return id;
}

const drafted = await request('draft');
const waiting = await request('submitted');

/** Returns a batch with one new request, or these, that one person made and another approved, with its file. */
async function withFile(ids?: number[]): Promise<{ id: number; sha256: string }> {
  const id = await world.gather(ids ?? [await request('approved')]);
  return { id, sha256: await world.approveAndGenerate(id) };
}
const returned = await request('approved');
const paid = await request('approved');
const settled = await world.gather([returned, paid]);
await world.transmit(settled);
await world.settle(settled);
const back = await world.takeBack([{ id: returned, cents: 12_345 }], 'R01');
await confirmReturnFile(sealing, back, by(checker), now());
const returnFile = await world.takeBack([{ id: paid, cents: 12_345 }], 'R02');
const draftBatch = await world.gather([await request('approved')]);
const fileToSign = await withFile();
await signFile(db, fileToSign.id, fileToSign.sha256, by(signer), now());
const fileToSend = await withFile();
for (const one of [signer, checker]) await signFile(db, fileToSend.id, fileToSend.sha256, by(one), now());
const fileSent = await withFile();
for (const one of [signer, checker]) await signFile(db, fileSent.id, fileSent.sha256, by(one), now());
await releaseFile(db, fileSent.id, fileSent.sha256, by(checker), now());
const atBank = await world.gather([await request('approved')]);
await world.transmit(atBank);
const deposit = { kind: 'deposit', amount_cents: 55_555, memo: 'Wire 7' } as const;
const entryId = await recordCashEntry(db, caseId, deposit, by(root));
const [grant] = await query<{ id: number }>(
  db,
  sql`insert into role_grant (admin_role_id, user_id, asked_by)
      select id, ${staff.viewer.id}, ${root.id} from admin_role where name = 'Finance' returning id`,
);

/** Makes two records one person until the transaction ends. */
const join = (tx: Transaction, ids: number[]) =>
  query(tx, sql`update user_account set confirmed_phone = '+12025550188' where id = any(${ids}::bigint[])`);

/** True unless the step is rejected because the person has a part. */
async function isAllowed(step: Promise<unknown>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError && error.code === 'same_person') return false;
    throw error;
  }
}

interface Guarded {
  /** Runs before the records become one person. */
  first?(tx: Transaction): Promise<unknown>;
  /** @returns true if the reader gets it, or may do it. */
  run(tx: Transaction): Promise<boolean>;
  /** The parts with which the reader does not. */
  without: Part[];
  /** The parts that this has, if not those of a request. */
  parts?: Part[];
  /** The record that is joined with each part; the administrator by default. */
  reader?: User;
}

const REQUEST_PARTS: Part[] = [...OF_REQUEST, 'approver', 'raiser of the alarm', 'no one'];
const BATCH_PARTS: Part[] = [...OF_REQUEST, 'approver', 'maker of the batch', 'approver of the batch', 'signer', 'no one'];

function testEach(rules: string, guarded: Record<string, Guarded>): void {
  for (const [what, { first, run, without, parts = REQUEST_PARTS, reader = root }] of Object.entries(guarded))
    test(`${rules} ${what}: not for the ${without.join(', ')}`, async () => {
      const outcomes = [];
      for (const name of parts) {
        const isFor = await undone(db, async (tx) => {
          await first?.(tx);
          await join(tx, [reader.id, PARTS[name].id]);
          return run(tx);
        });
        outcomes.push([name, isFor]);
      }
      assert.deepEqual(
        outcomes,
        parts.map((name) => [name, !without.includes(name)]),
      );
    });
}

const set = (tx: Transaction, id: number, approver: number | null) =>
  query(tx, sql`update disbursement_request set approver_id = ${approver} where id = ${id}`);
const setOfCase = (tx: Transaction, approver: number | null) =>
  query(tx, sql`update case_file set approver_id = ${approver} where id = ${caseId}`);
const approverOf = async (tx: Transaction, id: number) =>
  (await query<{ approver_id: number | null }>(tx, sql`select approver_id from disbursement_request where id = ${id}`))[0]
    ?.approver_id ?? null;
/** Without a request's own approver, staff decide. */
const byStaff = (run: Guarded['run']): Guarded['run'] => {
  return async (tx) => {
    await set(tx, waiting, null);
    return run(tx);
  };
};
const versionFor = async (tx: Transaction, id: number) => (await getDisbursement(tx, root, id, now())).version;
const isMailed = async (tx: Transaction, { id }: User) =>
  (await query(tx, sql`select from delivery where user_id = ${id} and channel = 'email'`)).length > 0;

describe('[PERSON-2, BANK-10] a stop of all payments to someone', () => {
  const onStop = (run: (tx: Transaction, stop_id: number) => Promise<boolean>) => async (tx: Transaction) => {
    const [stop] = await query<{ id: number }>(
      tx,
      sql`insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
          values (${surrogate.id}, ${caseId}, ${waiting}, ${raiser.id}, ${now()}, 'A stranger phoned') returning id`,
    );
    return run(tx, stop?.id ?? 0);
  };
  testEach('[BANK-10]', {
    'the alarm of a request': {
      run: onStop(async (tx) => (await getDisbursement(tx, root, waiting, now())).alarm !== null),
      without: ['payee'],
    },
    'the reason why a payment is stopped': {
      run: onStop(async (tx) => /raiser/.test((await getDisbursement(tx, root, waiting, now())).whereabouts.why ?? '')),
      without: ['payee'],
    },
    'the stops on the dashboard': {
      run: onStop(async (tx, stop_id) => (await listPaymentStops(tx, root)).some(({ id }) => id === stop_id)),
      without: ['payee'],
    },
    'the stop of a request': {
      run: onStop(async (tx) => (await listPaymentStops(tx, root, { about: waiting })).length > 0),
      without: ['payee'],
    },
    'the mail about an alarm': {
      run: onStop(async (tx, stop_id) => {
        await mailPaymentStop({ db: tx, ...URLS }, { stop_id, event: 'raised' });
        return isMailed(tx, root);
      }),
      without: ['payee'],
    },
    'letting payments continue': {
      run: onStop(async (tx, stop_id) =>
        isAllowed(clearStop({ ...context, db: tx }, waiting, { stop_id, reason: 'Phoned her' }, by(root))),
      ),
      without: ['payee', ...ACCOUNT],
    },
  });
});

describe('[PERSON-2, PERSON-5] a request that staff decide', () => {
  const stopped = {
    notice: '2b0c6f0e-3c43-4b9a-9a53-3f7e8c2a2f10',
    payee_id: surrogate.id,
    changed_at: now().toISOString(),
    moves: [],
    payments: [
      {
        disbursement_id: waiting,
        amount_cents: 12_345,
        category: 'Travel',
        next: 'submitted' as const,
        maker_id: sender.id,
        approved_by: parent.id,
        approver_id: null,
      },
    ],
  };
  testEach('[PERSON-5]', {
    'the list of what waits for them': {
      run: byStaff(async (tx) => (await listDisbursements(tx, root, { waiting_for_me: true }, now())).data.length > 0),
      without: OF_REQUEST,
    },
    'the decisions on their home page': {
      run: byStaff(async (tx) => (await listHomeRequests(tx, root, now())).decisions.length > 0),
      without: OF_REQUEST,
    },
    'the account that it is paid to': {
      run: byStaff(async (tx) => (await getDisbursement(tx, root, waiting, now())).payee_account !== null),
      without: OF_REQUEST,
    },
    'the mail that it waits': {
      run: byStaff(async (tx) => {
        const news = { disbursement_id: waiting, event: 'submitted', at: now().toISOString() } as const;
        await mailDisbursement({ db: tx, ...URLS }, news, now());
        return isMailed(tx, root);
      }),
      without: OF_REQUEST,
    },
    'the mail that a changed account stopped it': {
      run: byStaff(async (tx) => {
        await mailStoppedPayments({ db: tx, ...URLS }, stopped);
        return isMailed(tx, root);
      }),
      without: OF_REQUEST,
    },
    approving: {
      run: byStaff(async (tx) => {
        const version = await versionFor(tx, waiting);
        return isAllowed(approveDisbursement({ ...context, db: tx }, waiting, { version }, by(root)));
      }),
      without: OF_REQUEST,
    },
    denying: {
      run: byStaff(async (tx) => {
        const version = await versionFor(tx, waiting);
        return isAllowed(denyDisbursement({ ...context, db: tx }, waiting, { version, reason: 'No' }, by(root)));
      }),
      without: OF_REQUEST,
    },
    'raising an alarm': {
      run: byStaff((tx) => {
        const within = { ...context, db: tx } as unknown as Parameters<typeof askQuestion>[0];
        return isAllowed(askQuestion(within, waiting, { text: 'Odd', alarm: true }, by(root)));
      }),
      without: OF_REQUEST,
    },
  });
});

describe('[PERSON-2, APPROVER-1] the approver of a case', () => {
  testEach('[APPROVER-1]', {
    'deciding a draft that is sent': {
      run: async (tx) => {
        await setOfCase(tx, root.id);
        await submitDisbursement({ ...context, db: tx }, drafted, by(writer));
        return (await approverOf(tx, drafted)) === root.id;
      },
      without: OF_REQUEST,
    },
    'being shown on a draft': {
      run: async (tx) => {
        await setOfCase(tx, root.id);
        return (await getDisbursement(tx, writer, drafted, now())).approver?.user_id === root.id;
      },
      without: OF_REQUEST,
    },
    'being named for a payee of a new request': {
      run: async (tx) => {
        await setOfCase(tx, root.id);
        const payees = await listPayees(tx, writer, caseId, now());
        return payees.find(({ user_id }) => user_id === surrogate.id)?.approver?.user_id === root.id;
      },
      without: ['writer', 'payee', ...ACCOUNT],
    },
    'still deciding after they were found to be someone else’s record': {
      first: (tx) => set(tx, waiting, root.id),
      run: async (tx) => {
        await reassignApprovalsOf({ db: tx }, { user_id: root.id }, now());
        return (await approverOf(tx, waiting)) === root.id;
      },
      without: OF_REQUEST,
    },
  });
});

describe('[RETRY-1, PERSON-2] a payment that came back', () => {
  const retry = (tx: Transaction) =>
    isAllowed(retryDisbursement({ ...context, db: tx }, returned, { reason: 'The bank was wrong' }, by(root)));
  testEach('[RETRY-1]', {
    'paying it again': {
      run: retry,
      without: ['payee', ...ACCOUNT],
    },
    'its approval still counting': {
      reader: parent,
      run: retry,
      without: OF_REQUEST,
      parts: REQUEST_PARTS.filter((name) => name !== 'approver'),
    },
  });
});

describe('[PERSON-2, BATCH-3] a batch', () => {
  const lists = async (tx: Transaction, id: number, may: { approves: boolean; signs: boolean }) =>
    (await listWaitingBatches(tx, root.id, { ...may, limit: 100, now: now() })).some((batch) => batch.id === id);
  const listOf = async (tx: Transaction, id: number) => (await getBatch(tx, id, now())).list_sha256;
  const early = { reason: 'On the statement' };
  testEach('[BATCH-3]', {
    'the list of what waits for approval': {
      run: (tx) => lists(tx, draftBatch, { approves: true, signs: false }),
      without: OF_BATCH,
      parts: BATCH_PARTS,
    },
    approving: {
      run: async (tx) => isAllowed(approveBatch(tx, draftBatch, await listOf(tx, draftBatch), by(root), now())),
      without: OF_BATCH,
      parts: BATCH_PARTS,
    },
    'the list of what waits for a signature': {
      run: (tx) => lists(tx, fileToSign.id, { approves: false, signs: true }),
      without: ['payee', ...ACCOUNT, 'signer'],
      parts: BATCH_PARTS,
    },
    signing: {
      run: (tx) => isAllowed(signFile(tx, fileToSign.id, fileToSign.sha256, by(root), now())),
      without: ['payee', ...ACCOUNT, 'signer'],
      parts: BATCH_PARTS,
    },
    'sending the file': {
      run: (tx) => isAllowed(releaseFile(tx, fileToSend.id, fileToSend.sha256, by(root), now())),
      without: OF_BATCH,
      parts: BATCH_PARTS,
    },
    'recording what the bank did': {
      run: (tx) => {
        const outcome = { outcome: 'accepted', note: 'Phoned', sha256: fileSent.sha256 } as const;
        return isAllowed(confirmOutcome(tx, fileSent.id, outcome, by(root), now()));
      },
      without: ['maker of the batch'],
      parts: BATCH_PARTS,
    },
    'marking it as paid': {
      run: async (tx) => isAllowed(settleBatch(tx, atBank, { sha256: await listOf(tx, atBank), early }, by(root), now())),
      without: ['maker of the batch'],
      parts: BATCH_PARTS,
    },
  });
});

/** Leaves only two administrators who could be the first and second person. */
const onlyTwo = (tx: Transaction) =>
  query(
    tx,
    sql`update user_account set status = 'deactivated'
         where user_type = 'admin' and id <> all (${[root.id, checker.id, staff.viewer.id]}::bigint[])`,
  );

describe('[PERSON-2, RETURN-2] a return file', () => {
  const fileFor = async (tx: Transaction) =>
    (await listReturnFiles(tx, checker)).find(({ id }) => id === returnFile.id) ?? assert.fail('no file');
  const ofFile = {
    reader: checker,
    without: ['uploader of the file'] as Part[],
    parts: [...OF_REQUEST, 'approver', 'maker of the batch', 'signer', 'uploader of the file', 'no one'] as Part[],
  };
  testEach('[RETURN-2]', {
    'the list of what waits': {
      run: async (tx) => (await listWaitingReturnFiles(tx, checker, 100)).some(({ id }) => id === returnFile.id),
      ...ofFile,
    },
    'being another person’s': { run: async (tx) => !(await fileFor(tx)).is_own, ...ofFile },
    'having someone to confirm it': { first: onlyTwo, run: async (tx) => (await fileFor(tx)).has_second, ...ofFile },
    confirming: {
      run: async (tx) => {
        const { version } = await getReturnFile({ ...sealing, db: tx }, checker, returnFile.id);
        const seen = { id: returnFile.id, version: version ?? '' };
        return isAllowed(confirmReturnFile({ ...sealing, db: tx }, seen, by(checker), now()));
      },
      ...ofFile,
    },
  });
});

describe('[PERSON-2, DEPOSIT-1] a deposit', () => {
  const entryFor = async (tx: Transaction) =>
    (await listCaseCashEntries(tx, checker, caseId)).find(({ id }) => id === entryId) ?? assert.fail('no deposit');
  const ofEntry = {
    reader: checker,
    without: ['recorder of the deposit'] as Part[],
    parts: ['writer', 'payee', 'approver', 'recorder of the deposit', 'no one'] as Part[],
  };
  testEach('[DEPOSIT-1]', {
    'the list of what waits': {
      run: async (tx) => (await listWaitingCashEntries(tx, checker, 100)).some(({ id }) => id === entryId),
      ...ofEntry,
    },
    'being another person’s': { run: async (tx) => !(await entryFor(tx)).is_own, ...ofEntry },
    'having someone to confirm it': { first: onlyTwo, run: async (tx) => (await entryFor(tx)).has_second, ...ofEntry },
    confirming: { run: async (tx) => isAllowed(confirmCashEntry(tx, await entryFor(tx), by(checker))), ...ofEntry },
  });
});

describe('[PERSON-2, ROLE-7] a role that waits for someone', () => {
  const grantFor = async (tx: Transaction) =>
    (await listRoleGrants(tx, checker)).find(({ id }) => id === grant?.id) ?? assert.fail('no grant');
  const ofGrant = {
    reader: checker,
    without: ['asker for the role', 'person who gets the role'] as Part[],
    parts: ['asker for the role', 'person who gets the role', 'maker of the batch', 'no one'] as Part[],
  };
  testEach('[ROLE-7]', {
    'the list of what waits': {
      run: async (tx) => (await listWaitingRoleGrants(tx, checker)).some(({ id }) => id === grant?.id),
      ...ofGrant,
    },
    'being offered the decision': { run: async (tx) => (await grantFor(tx)).may_decide, ...ofGrant },
    'having someone to confirm it': { first: onlyTwo, run: async (tx) => (await grantFor(tx)).has_second, ...ofGrant },
    'being another person’s': {
      run: async (tx) => !(await grantFor(tx)).is_own,
      ...ofGrant,
      without: ['asker for the role'],
    },
    confirming: {
      run: async (tx) => isAllowed(confirmGrant(tx, await grantFor(tx), by(checker), URLS)),
      ...ofGrant,
    },
  });
});
