import type { Transaction } from '@case-platform/lib/database';
import { moneyWords } from '@case-platform/words/money';
import { bankDayFor } from './bank-files.ts';
import type { DemoRequest } from './demo-request.ts';
import { insertNumbered, insertRows } from './insert.ts';
import type { PlannedPayment } from './journey.ts';
import { ago, dayAgo } from './moments.ts';
import { type LifeStep, lifeOf } from './request-life.ts';
import { listCalendars, listRequests } from './requests.ts';
import type { SeededCase } from './seed-cases.ts';
import { type Movement, postAll, seedCash } from './seed-ledger.ts';
import type { People } from './seed-people.ts';

/** A request with the steps of its life. */
export interface SeededRequest {
  id: number;
  case_id: number;
  request: DemoRequest;
  life: LifeStep[];
}

/** The person who looks after requests of cases without a specialist. */
const FALLBACK = 'Ruth Adeyemi';

/** Seeds calendars, requests in every state with their audit log, and the ledger that follows from both. */
export async function seedMoney(tx: Transaction, people: People, cases: readonly SeededCase[]): Promise<SeededRequest[]> {
  const calendars = listCalendars();
  const lived = listRequests(calendars).map((request) => {
    const seededCase = cases[request.of - 1];
    return { request, case_id: seededCase?.id ?? 0, life: lifeOf(request, seededCase?.plan.specialist ?? FALLBACK) };
  });
  const lines = await seedCalendars(tx, people, { cases, calendars, lived });
  const ids = await insertNumbered(
    tx,
    'disbursement_request',
    lived.map((one) => requestRow(people, one, one.request.pays === undefined ? null : (lines.get(one.request.pays) ?? null))),
  );
  const requests = lived.map((one, at) => ({ ...one, id: ids[at] ?? 0 }));
  const stories = requests.flatMap((one) => one.life.map((step) => auditRow(people, one, step)));
  // The audit log is shown in the order of its ids.
  await insertRows(
    tx,
    'audit_entry',
    stories.sort((a, b) => a.happened_at.getTime() - b.happened_at.getTime()),
  );
  const movements = requests.flatMap((one) => movementsOf(people, one));
  const cash = await seedCash(tx, people, cases, movements);
  await postAll(tx, [...movements, ...cash]);
  return requests;
}

type Lived = Omit<SeededRequest, 'id'>;

async function seedCalendars(
  tx: Transaction,
  people: People,
  { cases, calendars, lived }: { cases: readonly SeededCase[]; calendars: PlannedPayment[][]; lived: Lived[] },
): Promise<Map<PlannedPayment, number>> {
  const paid = new Map(lived.map(({ request, life }) => [request.pays, life.findLast(({ command }) => command === 'pay')]));
  const lines = cases.flatMap(({ id, plan }, at) =>
    (calendars[at] ?? []).map((payment) => {
      const { category, description, amount_cents, day } = payment;
      const at_bank = paid.get(payment);
      const row = {
        case_id: id,
        category,
        description,
        amount_cents,
        payee_id: people.of(plan.surrogate ?? '').id,
        due_date: dayAgo(plan.opened - day),
        status: at_bank === undefined ? 'planned' : 'paid',
        paid_at: at_bank === undefined ? null : ago(at_bank.when),
        created_at: ago(Math.max(plan.opened - 49, 0.5)),
      };
      return { payment, row };
    }),
  );
  const ids = await insertNumbered(
    tx,
    'scheduled_payment',
    lines.map(({ row }) => row),
  );
  return new Map(lines.map(({ payment }, at) => [payment, ids[at] ?? 0]));
}

function requestRow(people: People, { request, case_id, life }: Lived, scheduled_payment_id: number | null) {
  const { amount_cents, category, description, by, payee, approver, written, reason, changed = false } = request;
  const last = life.at(-1) as LifeStep;
  const when = (...commands: LifeStep['command'][]) => {
    const step = life.findLast(({ command }) => commands.includes(command));
    return step === undefined ? null : ago(step.when);
  };
  const sent = when('submit');
  const file = life.findLast(({ command }) => command === 'batch')?.file;
  // A request that is set to be paid again has no bank date until it is in a batch.
  const bank = last.after === 'approved' || file === undefined || file.state === 'draft' ? null : bankDayFor(file.made);
  const back =
    last.after === 'returned' || last.after === 'ended' ? life.findLast(({ command }) => command === 'return') : undefined;
  const hasEnded = last.after === 'ended';
  return {
    case_id,
    status: last.after,
    amount_cents,
    category,
    description,
    scheduled_payment_id,
    payee_id: people.of(payee).id,
    created_by: people.of(by).id,
    created_at: ago(written),
    updated_at: ago(last.when),
    status_since: ago(last.when),
    decision_reason: hasEnded ? null : (reason ?? null),
    end_reason: hasEnded ? (reason ?? null) : null,
    submitted_by: sent === null ? null : people.of(by).id,
    submitted_at: sent,
    approver_id: sent === null ? null : people.of(approver).id,
    decided_at: when('approve', 'deny'),
    bank_date: bank,
    paid_at: last.after === 'approved' ? null : when('pay'),
    returned_at: back === undefined ? null : ago(back.when),
    return_code: back === undefined ? null : String(back.note?.return_code),
    revised_by: changed ? [people.of(by).id] : [],
  };
}

function auditRow(people: People, { id, case_id, request }: SeededRequest, { command, by, before, after, when, note }: LifeStep) {
  const actor = by === null ? null : people.of(by);
  return {
    actor_id: actor?.id ?? null,
    actor_type: actor?.user_type ?? null,
    action: `disbursement.${command}`,
    layer: actor === null ? 'system' : actor.user_type === 'admin' ? 'admin' : 'api',
    subject_id: id,
    subject_label: `${request.category}, ${moneyWords(request.amount_cents)}`,
    case_id,
    before: before === null ? null : JSON.stringify({ status: before }),
    after: JSON.stringify({ status: after, ...note }),
    happened_at: ago(when),
  };
}

/** The movements of a request: its money is reserved on approval, and paid when the bank pays. */
function movementsOf(people: People, { id, case_id, request, life }: SeededRequest): Movement[] {
  const { amount_cents: cents, category: memo } = request;
  const of = { case_id, disbursement_id: id, cash_entry_id: null, memo };
  return life.flatMap(({ command, by, when }): Movement[] => {
    const entry = { ...of, created_by: null, at: ago(when) };
    if (command === 'approve' || command === 'retry')
      return [{ ...entry, kind: 'hold', created_by: people.of(by ?? '').id, postings: { funds: cents, held: -cents } }];
    if (command === 'pay') return [{ ...entry, kind: 'payment', postings: { held: cents, cash: -cents } }];
    if (command === 'return') return [{ ...entry, kind: 'return', postings: { cash: cents, funds: -cents } }];
    return [];
  });
}
