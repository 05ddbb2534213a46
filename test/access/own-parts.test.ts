import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { confirmReturnFile, listOwnPayments, setBankAccount } from '@case-platform/modules/banking';
import { listCaseDocuments } from '@case-platform/modules/cases';
import {
  askQuestion,
  cancelDisbursement,
  denyDisbursement,
  endDisbursement,
  findDisbursement,
  findIncomingMoney,
  getDisbursement,
  type HomeRequests,
  listDisbursementFiles,
  listDisbursements,
  listHomeRequests,
  listStoppedByAccountChange,
  mailDisbursement,
  mailMovedDates,
  mailPaymentStop,
  mailStoppedPayments,
} from '@case-platform/modules/disbursements';
import { createStorage } from '@case-platform/modules/storage';
import { openTwoFamilies } from '../money/two-families.ts';
import { undone } from '../support/undone.ts';

/**
 * Every read and notice of a request and its payment that depends on the part of its reader, with another person for each part.
 * In other tests the writer is often the payee and the sender, so a wrong column finds the right person.
 */

const world = await openTwoFamilies();
const { db, context, sealing, family, staff, by, now } = world;
const { root, checker } = staff;
const { surrogate, parent, parent2, caseId } = family;
const URLS = { webUrl: 'http://web.test', adminUrl: 'http://admin.test' };
const NOTICE = '2b0c6f0e-3c43-4b9a-9a53-3f7e8c2a2f10';
const storage = createStorage({
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  bucket: 'files',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
  forcePathStyle: true,
});

let position = 90;
/** Someone on the case. */
async function addPerson(name: string): Promise<User> {
  const person = await world.addPerson(name, 'surrogate');
  position += 1;
  await query(db, sql`insert into case_participant (case_id, user_id, position) values (${caseId}, ${person.id}, ${position})`);
  return person;
}

const writer = await addPerson('writer');
const sender = await addPerson('sender');
const reviser = await addPerson('reviser');
const setter = await addPerson('setter');
const raiser = await addPerson('raiser');
const uploader = await addPerson('uploader');
const nobody = await addPerson('nobody');
const specialist = await world.person('escrow@demo.test', 'admin');
await query(
  db,
  sql`update case_file set escrow_specialist_id = ${specialist.id}, approver_id = ${parent.id} where id = ${caseId}`,
);
await query(
  db,
  sql`update payee_bank_account set created_by = ${setter.id} where user_id = ${surrogate.id} and replaced_at is null`,
);

const PEOPLE = {
  writer,
  sender,
  reviser,
  payee: surrogate,
  setter,
  approver: parent,
  'other parent': parent2,
  raiser,
  uploader,
  specialist,
  'someone else': nobody,
} satisfies Record<string, User>;
type Part = keyof typeof PEOPLE;
const NAMES = Object.keys(PEOPLE) as Part[];

/** Brings a request to a state, and then makes each of its parts another person's. */
async function request(status: 'draft' | 'submitted' | 'approved'): Promise<number> {
  const id = await world.ask(family, 12_345);
  if (status !== 'draft') await world.submit(family, id);
  if (status === 'approved') await world.approve(family, id);
  await query(
    db,
    sql`update disbursement_request set created_by = ${writer.id}, submitted_by = ${status === 'draft' ? null : sender.id},
               revised_by = ${[reviser.id]} where id = ${id}`,
  );
  return id;
}

const drafted = await request('draft');
const waiting = await request('submitted');
const approved = await request('approved');
const inFile = await request('approved');
await world.approveAndGenerate(await world.gather([inFile]));
const paid = await request('approved');
const returned = await request('approved');
const batch = await world.gather([returned, paid]);
await world.transmit(batch);
await world.settle(batch);
await confirmReturnFile(sealing, await world.takeBack([{ id: returned, cents: 12_345 }], 'R01'), by(checker), now());

/** True if the person may do it or reads something; false if it is hidden from them or rejected. */
async function isGiven(work: Promise<unknown>): Promise<boolean> {
  try {
    return (await work) !== false;
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return false;
    throw error;
  }
}

/** Runs the same for each person by themselves. @returns the parts of those for whom it is true. */
async function partsWith(run: (tx: Transaction, person: User) => Promise<unknown>): Promise<Part[]> {
  const parts: Part[] = [];
  for (const name of NAMES) {
    if (await undone(db, (tx) => isGiven(run(tx, PEOPLE[name])))) parts.push(name);
  }
  return parts;
}

/** Runs a notice. @returns the parts of the people who get a mail. */
async function partsMailed(notify: (tx: Transaction) => Promise<unknown>): Promise<Part[]> {
  return undone(db, async (tx) => {
    await notify(tx);
    const rows = await query<{ user_id: number }>(
      tx,
      sql`select user_id from delivery where channel = 'email' and event <> 'bank_account_changed'`,
    );
    return NAMES.filter((name) => rows.some(({ user_id }) => user_id === PEOPLE[name].id));
  });
}

/** The payloads of queued jobs. */
async function payloadsOf<Payload>(tx: Transaction, task: string): Promise<Payload[]> {
  const rows = await query<{ payload: Payload }>(
    tx,
    sql`select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier = ${task} order by j.id`,
  );
  return rows.map(({ payload }) => payload);
}

/** Runs a notice. @returns the parts of the people whose mail has these words. */
async function partsReading(words: RegExp, notify: (tx: Transaction) => Promise<unknown>): Promise<Part[]> {
  return undone(db, async (tx) => {
    await notify(tx);
    const mails = await payloadsOf<{ to: string; template_context: object }>(tx, 'deliver_email');
    const isRead = ({ email_address }: User) =>
      mails.some(({ to, template_context }) => to === email_address && words.test(JSON.stringify(template_context)));
    return NAMES.filter((name) => isRead(PEOPLE[name]));
  });
}

const onHome = (list: keyof HomeRequests, id: number) => async (tx: Transaction, person: User) =>
  (await listHomeRequests(tx, person, now()))[list].some((one) => one.id === id);
const reads =
  (id: number, hasPart: (request: NonNullable<Awaited<ReturnType<typeof findDisbursement>>>) => unknown) =>
  async (tx: Transaction, person: User) => {
    const one = await findDisbursement(tx, person, id, now());
    return one !== null && Boolean(hasPart(one));
  };
const raise = async (tx: Transaction) => {
  const [stop] = await query<{ id: number }>(
    tx,
    sql`insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
        values (${surrogate.id}, ${caseId}, ${waiting}, ${raiser.id}, ${now()}, 'A stranger phoned') returning id`,
  );
  return stop?.id ?? 0;
};
/** Stores a picture whose location was not removed yet. */
const storePicture = async (tx: Transaction, key: string) => {
  await query(tx, sql`insert into stored_picture (storage_key) values (${key})`);
  return sql`'photo.png', 'image/png', 5, ${key}, ${uploader.id}`;
};

const READS: [rule: string, what: string, run: (tx: Transaction, person: User) => Promise<unknown>, parts: Part[]][] = [
  ['[DRAFT-1]', 'the content of a draft', reads(drafted, (one) => one.has_content), ['writer', 'reviser']],
  ['[HOME-1]', 'the drafts on the home page', onHome('drafts', drafted), ['writer']],
  ['[HOME-1]', 'open requests on the home page', onHome('requests', waiting), ['writer', 'payee', 'other parent']],
  ['[HOME-1]', 'decisions on the home page', onHome('decisions', waiting), ['approver']],
  ['[HOME-1]', 'payments on the home page', onHome('payments', paid), ['writer', 'payee', 'approver', 'other parent']],
  ['[HOME-1]', 'what came back on the home page', onHome('returned', returned), ['writer', 'payee', 'approver', 'other parent']],
  [
    '[REQUEST-17]',
    'the list of what waits for them',
    async (tx, person) => (await listDisbursements(tx, person, { waiting_for_me: true }, now())).data.length > 0,
    ['approver'],
  ],
  ['[BANK-9]', 'the account that a request is paid to', reads(waiting, (one) => one.payee_account), ['approver']],
  [
    '[REQUEST-4]',
    'cancelling a request',
    (tx, person) => cancelDisbursement({ ...context, db: tx }, waiting, by(person)),
    ['writer', 'sender', 'specialist'],
  ],
  [
    '[BANK-10]',
    'an alarm',
    async (tx, person) => {
      await raise(tx);
      return reads(waiting, (one) => one.alarm)(tx, person);
    },
    ['raiser', 'specialist'],
  ],
  [
    '[BANK-10]',
    'an alarm of their own',
    async (tx, person) => {
      await raise(tx);
      return reads(waiting, (one) => one.alarm?.is_own)(tx, person);
    },
    ['raiser'],
  ],
  ['[RETRY-1]', 'a return that speaks to them', reads(returned, (one) => /\byou/i.test(one.return?.what_to_do ?? '')), ['payee']],
  [
    '[WHERE-1]',
    'their money on its way',
    async (tx, person) => (await findIncomingMoney(tx, person, now())).parts.length > 0,
    ['payee'],
  ],
  [
    '[STATEMENT-5]',
    'payments to them',
    async (tx, person) => (await listOwnPayments(tx, person, { from: '2026-01-01', to: '2027-12-31' })).data.length > 0,
    ['payee'],
  ],
  [
    '[BANK-8]',
    'what a change of their account would stop',
    async (tx, person) => (await listStoppedByAccountChange(tx, person, now())).some(({ id }) => id === approved),
    ['payee'],
  ],
  [
    '[PICTURE-1]',
    'a receipt before its location was removed',
    async (tx, person) => {
      const values = await storePicture(tx, 'files/receipt/1.png');
      await query(
        tx,
        sql`insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
            values (${waiting}, ${values})`,
      );
      const files = await listDisbursementFiles({ db: tx, storage, now }, person, [waiting]);
      return files.get(waiting)?.[0]?.url !== null;
    },
    ['uploader'],
  ],
  [
    '[UPLOAD-10]',
    'deleting a document',
    async (tx, person) => {
      const values = await storePicture(tx, 'files/case_document/1.png');
      await query(
        tx,
        sql`insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by)
            values (${caseId}, ${values})`,
      );
      return (await listCaseDocuments({ db: tx, storage }, person, caseId, {}, now())).data[0]?.can_delete ?? false;
    },
    ['uploader', 'specialist'],
  ],
];

describe('[REQUEST-11, DRAFT-1, HOME-1, BANK-10] reads and steps of a person’s own part', () => {
  for (const [rule, what, run, parts] of READS)
    test(`${rule} ${what}: for the ${parts.join(', ')}`, async () => assert.deepEqual(await partsWith(run), parts));
});

const news = (id: number, event: Parameters<typeof mailDisbursement>[1]['event']) => (tx: Transaction) =>
  mailDisbursement({ db: tx, ...URLS }, { disbursement_id: id, event, at: now().toISOString() }, now());
const moved = (tx: Transaction) => {
  const moves = [{ disbursement_id: waiting, from: '2026-11-27', to: '2026-11-30', because: 'stopped' as const }];
  return mailMovedDates({ db: tx, ...URLS }, { notice: NOTICE, moves });
};
type StoppedNews = Parameters<typeof mailStoppedPayments>[1];
/** Lets the payee change their account, and mails about one of the payments that this stops. */
const changeAccount = (id: number) => async (tx: Transaction) => {
  const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking' as const };
  const at = { by: by(surrogate), now: now() };
  await setBankAccount({ ...sealing, db: tx }, surrogate.id, { ...account, account_number: '99990000' }, at);
  const [news] = await payloadsOf<StoppedNews>(tx, 'mail_stopped_payments');
  assert.ok(news);
  const payments = news.payments.filter(({ disbursement_id }) => disbursement_id === id);
  await mailStoppedPayments({ db: tx, ...URLS }, { ...news, payments, moves: [] });
};
const stopped = (approver_id: number, next: 'submitted' | 'draft' = 'submitted'): StoppedNews => ({
  notice: NOTICE,
  payee_id: surrogate.id,
  changed_at: now().toISOString(),
  moves: [],
  payments: [
    {
      disbursement_id: waiting,
      amount_cents: 12_345,
      category: 'Travel',
      next,
      maker_id: sender.id,
      approved_by: parent.id,
      approver_id,
    },
  ],
});

const NOTICES: [rule: string, what: string, notify: (tx: Transaction) => Promise<unknown>, parts: Part[]][] = [
  ['[EMAIL-4]', 'a request that waits', news(waiting, 'submitted'), ['approver']],
  [
    '[EMAIL-6]',
    'a request that is denied',
    async (tx) => {
      const { version } = await getDisbursement(tx, parent, waiting, now());
      await denyDisbursement({ ...context, db: tx }, waiting, { version, reason: 'No' }, by(parent));
      await news(waiting, 'denied')(tx);
    },
    ['sender', 'specialist'],
  ],
  ['[PAYMENT-1]', 'a payment on its way', news(paid, 'on_its_way'), ['sender', 'payee']],
  ['[PAYMENT-1]', 'a payment that arrived', news(paid, 'paid'), ['sender', 'payee']],
  ['[PAYMENT-1]', 'a payment that came back', news(returned, 'returned'), ['sender', 'payee']],
  [
    '[WHERE-5]',
    'a payment that is not made again',
    async (tx) => {
      await endDisbursement({ ...context, db: tx }, returned, { reason: 'By check' }, by(root));
      await news(returned, 'ended')(tx);
    },
    ['sender', 'payee', 'approver', 'other parent'],
  ],
  ['[WHERE-3]', 'an arrival day that moved', moved, ['sender', 'payee', 'approver']],
  [
    '[BANK-11]',
    'payments that a changed account stopped',
    (tx) => mailStoppedPayments({ db: tx, ...URLS }, stopped(parent2.id)),
    ['sender', 'payee', 'approver', 'other parent', 'specialist'],
  ],
  [
    '[BANK-11]',
    'an approved payment, from the change of the account on',
    changeAccount(approved),
    ['sender', 'payee', 'approver', 'specialist'],
  ],
  [
    '[BANK-11]',
    'a payment in a file, from the change of the account on',
    changeAccount(inFile),
    ['sender', 'payee', 'approver', 'specialist'],
  ],
  [
    '[BANK-10]',
    'an alarm',
    async (tx) => mailPaymentStop({ db: tx, ...URLS }, { stop_id: await raise(tx), event: 'raised' }),
    ['specialist'],
  ],
  [
    '[BANK-10]',
    'an alarm that was cleared',
    async (tx) => {
      const stop_id = await raise(tx);
      await query(
        tx,
        sql`update payment_stop set cleared_by = ${root.id}, cleared_at = now(), clear_reason = 'Phoned' where id = ${stop_id}`,
      );
      await mailPaymentStop({ db: tx, ...URLS }, { stop_id, event: 'cleared' });
    },
    ['raiser'],
  ],
];

describe('[NOTIFY-3, EMAIL-4, EMAIL-6, PAYMENT-1, WHERE-5, BANK-11] notices of a person’s part', () => {
  for (const [rule, what, notify, parts] of NOTICES)
    test(`${rule} ${what}: to the ${parts.join(', ')}`, async () => assert.deepEqual(await partsMailed(notify), parts));
});

const WORDS: [rule: string, words: RegExp, notify: (tx: Transaction) => Promise<unknown>, parts: Part[]][] = [
  ['[PAYMENT-1]', /"payee":"you"/, news(paid, 'paid'), ['payee']],
  ['[PAYMENT-1]', /"payee":"you"/, news(returned, 'returned'), ['payee']],
  ['[WHERE-3]', /"payee":"you"/, moved, ['payee']],
  ['[BANK-11]', /Your bank account/, (tx) => mailStoppedPayments({ db: tx, ...URLS }, stopped(parent2.id)), ['payee']],
  [
    '[BANK-11]',
    /waiting for your approval again/,
    (tx) => mailStoppedPayments({ db: tx, ...URLS }, stopped(parent2.id)),
    ['other parent'],
  ],
  [
    '[BANK-11]',
    /You need to send it again/,
    (tx) => mailStoppedPayments({ db: tx, ...URLS }, stopped(parent2.id, 'draft')),
    ['sender'],
  ],
];

describe('[NOTIFY-3] words that a notice has for one part', () => {
  for (const [index, [rule, words, notify, parts]] of WORDS.entries())
    test(`${rule} ${index + 1}. ${words.source}: for the ${parts.join(', ')}`, async () =>
      assert.deepEqual(await partsReading(words, notify), parts));
});

test('[PAYABLE-1] a payee who is on the case only through their agency is paid only what they wrote', async () => {
  const owner = await world.person('owner@demo.test', 'owner');
  const reasonFor = (created_by: User, submitted_by: User) =>
    undone(db, async (tx) => {
      await query(tx, sql`update case_participant set left_at = now() where case_id = ${caseId} and user_id = ${owner.id}`);
      await query(
        tx,
        sql`update disbursement_request
               set payee_id = ${owner.id}, created_by = ${created_by.id}, submitted_by = ${submitted_by.id}
             where id = ${waiting}`,
      );
      return (await getDisbursement(tx, root, waiting, now())).not_payable?.reason ?? null;
    });
  assert.equal(await reasonFor(owner, sender), null);
  assert.equal(await reasonFor(writer, owner), 'payee_left');
});

describe('[REQUEST-13, BANK-10] a question of staff goes to the payee, and if they left the case, to the sender', () => {
  for (const [what, leaves, asked] of [
    ['the payee is on the case', [], 'payee'],
    ['the payee has left', ['payee'], 'sender'],
  ] as const)
    test(`[BANK-10] ${what}: the ${asked} is asked`, async () => {
      const members = await undone(db, async (tx) => {
        await query(tx, sql`update disbursement_request set approver_id = null where id = ${waiting}`);
        const gone = leaves.map((name) => PEOPLE[name].id);
        await query(
          tx,
          sql`update case_participant set left_at = now() where case_id = ${caseId} and user_id = any(${gone}::bigint[])`,
        );
        const within = { ...context, db: tx } as unknown as Parameters<typeof askQuestion>[0];
        const { chain_id } = await askQuestion(within, waiting, { text: 'Which day?' }, by(root));
        return query<{ user_id: number }>(tx, sql`select user_id from message_chain_group where chain_id = ${chain_id}`);
      });
      assert.deepEqual(
        NAMES.filter((name) => members.some(({ user_id }) => user_id === PEOPLE[name].id)),
        [asked],
      );
    });
});

test('[REQUEST-17] a request names its sender, its payee, and its approver, and no other part', async () => {
  const { submitted_by, payee, approver } = await getDisbursement(db, root, waiting, now());
  assert.deepEqual([submitted_by?.user_id, payee?.user_id, approver?.user_id], [sender.id, surrogate.id, parent.id]);
  const draftOf = await findDisbursement(db, writer, drafted, now());
  assert.equal(draftOf?.submitted_by?.user_id, writer.id);
});
