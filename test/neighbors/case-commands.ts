import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, type SqlParameter, sql } from '@case-platform/lib/sql';
import {
  addMilestone,
  addParticipant,
  addScheduledPayment,
  addToTeam,
  cancelScheduledPayment,
  changeCaseStatus,
  markScheduledPaymentPaid,
  removeCaseDocument,
  removeFromTeam,
  removeParticipant,
  reopenScheduledPayment,
  setEscrowSpecialist,
  updateCase,
} from '@case-platform/modules/cases';
import type { Command } from './command.ts';
import { NOW, type Twins } from './seed-twins.ts';

const by = ({ people }: Twins) => ({ actor: people.eve, origin: SYSTEM });
const one = ({ id }: Twins) => id('case_file', 'One');
const nothing = async () => {};
const run = (tx: Transaction, text: string, ...values: SqlParameter[]) => tx.query({ text, values });

/** Ann decides in both cases, and Ada and Bob are on the team of both. */
async function prepareBoth(tx: Transaction, { people: { ann, ada, bob } }: Twins): Promise<void> {
  await run(tx, 'update case_file set approver_id = $1, escrow_specialist_id = $2', ann.id, ada.id);
  for (const { id } of [ada, bob])
    await run(tx, 'insert into case_admin (case_id, user_id) select id, $1 from case_file on conflict do nothing', id);
}

/** Plans the same calendar in both cases: two payments of each category. */
async function planBoth(tx: Transaction): Promise<void> {
  for (const category of ['Travel', 'Childcare'])
    for (const due_date of ['2026-12-01', '2027-01-01'])
      await run(
        tx,
        `insert into scheduled_payment (case_id, category, due_date, amount_cents) select id, $1, $2, 100 from case_file`,
        category,
        due_date,
      );
}

/** Returns the scheduled payments of a case, in the order in which they were planned. */
async function plannedIn(tx: Transaction, caseId: number): Promise<number[]> {
  const rows = await query<{ id: number }>(tx, sql`select id from scheduled_payment where case_id = ${caseId} order by id`);
  return rows.map(({ id }) => id);
}

async function addDocuments(tx: Transaction, { people }: Twins): Promise<void> {
  for (const name of ['a', 'b'])
    await run(
      tx,
      `insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by)
       select id, $1, 'text/plain', 1, 'files/' || id || $1, $2 from case_file`,
      `${name}.txt`,
      people.eve.id,
    );
}

export const CASE_COMMANDS: Command[] = [
  {
    name: 'taking the person who approves in two cases off one of them, and bringing them back',
    prepare: prepareBoth,
    work: (tx, twins, round) =>
      round === 0
        ? removeParticipant(tx, one(twins), twins.people.ann.id, by(twins))
        : addParticipant(tx, one(twins), twins.people.ann, by(twins)),
    runs: 2,
  },
  {
    name: 'taking someone off a team, and adding them again',
    prepare: prepareBoth,
    work: (tx, twins, round) =>
      round === 0
        ? removeFromTeam(tx, one(twins), twins.people.bob.id, by(twins))
        : addToTeam(tx, one(twins), twins.people.bob.id, by(twins)),
    runs: 2,
  },
  {
    name: 'another escrow specialist, twice',
    prepare: prepareBoth,
    work: (tx, twins) => setEscrowSpecialist(tx, one(twins), twins.people.bob.id, by(twins)),
    runs: 2,
  },
  {
    name: 'another name, agency, and last day of a case, and no approver',
    prepare: prepareBoth,
    work: (tx, twins) =>
      updateCase(
        tx,
        one(twins),
        { name: 'Case Three', agency_id: twins.id('agency', 'Alder'), approver_id: null, close_due_on: '2027-01-01' },
        by(twins),
        nothing,
      ),
    runs: 2,
  },
  {
    name: 'closing a case without money, and opening it again',
    work: (tx, twins, round) => changeCaseStatus(tx, one(twins), round === 0 ? 'closed' : 'active', by(twins)),
    runs: 2,
  },
  {
    name: 'a milestone that asks for a deposit, twice',
    work: (tx, twins) =>
      addMilestone(
        { db: tx, now: () => NOW },
        one(twins),
        { kind: 'pregnancy_confirmed', happened_on: '2026-11-01', funding_required_cents: 100 },
        { ...by(twins), actor: twins.people.eve },
      ),
    runs: 2,
  },
  {
    name: 'planning a payment, and cancelling the first of the calendar',
    prepare: planBoth,
    work: async (tx, twins, round) => {
      const caseId = one(twins);
      const ofUser = { ...by(twins), actor: twins.people.eve };
      if (round > 0) return cancelScheduledPayment(tx, caseId, (await plannedIn(tx, caseId))[0] ?? 0, ofUser);
      const payment = { category: 'Other', description: '', due_date: '2027-02-01', amount_cents: 5, payee_id: null };
      return addScheduledPayment(tx, caseId, payment, ofUser);
    },
    runs: 3,
  },
  {
    name: 'planning a payment twice under one key, then with another part of it, and for another case',
    work: (tx, twins, round) => {
      const payment = { category: 'Other', description: '', due_date: '2027-02-01', amount_cents: 5, payee_id: null };
      const others = [
        {},
        {},
        { amount_cents: 6 },
        { due_date: '2027-02-02' },
        { description: 'x' },
        { payee_id: twins.people.ann.id },
      ];
      const ofCase = round < others.length ? one(twins) : twins.id('case_file', 'Two');
      const planned = { ...payment, ...others[round], idempotencyKey: 'new' };
      return addScheduledPayment(tx, ofCase, planned, { ...by(twins), actor: twins.people.eve });
    },
    runs: 7,
  },
  {
    name: 'paying both payments of a category: the mail about its last one does not depend on other cases and categories',
    prepare: planBoth,
    work: async (tx, twins, round) =>
      markScheduledPaymentPaid(tx, (await plannedIn(tx, one(twins)))[Math.min(round, 1)] ?? 0, NOW),
    runs: 3,
  },
  {
    name: 'a scheduled payment that came back, twice',
    prepare: async (tx) => {
      await planBoth(tx);
      await run(tx, `update scheduled_payment set status = 'paid', paid_at = $1`, NOW);
    },
    work: async (tx, twins) => reopenScheduledPayment(tx, (await plannedIn(tx, one(twins)))[0] ?? 0),
    runs: 2,
  },
  {
    name: 'removing both documents of a case, one after the other',
    prepare: addDocuments,
    work: async (tx, twins) => {
      const [document] = await query<{ id: number }>(
        tx,
        sql`select id from case_document where case_id = ${one(twins)} order by id limit 1`,
      );
      const documentId = document?.id ?? 0;
      return removeCaseDocument({ db: tx }, { caseId: one(twins), documentId }, { ...by(twins), actor: twins.people.eve });
    },
    runs: 3,
  },
];
