import { invalid } from '@case-platform/lib/errors';
import { addScheduledPayment, type ChangedByUser, cancelScheduledPayment } from '@case-platform/modules/cases';
import { confirmCashEntry, recordCashEntry, refuseCashEntry, type SeenCashEntry } from '@case-platform/modules/ledger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { readAmount } from '../form/read-amount.ts';
import { ChoiceText, chosenId, Done, FieldText, Id, IdempotencyKey } from '../form/schemas.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { readCaseMoneyPage } from './read-case-money-page.ts';

const params = Type.Object({ case_id: Id });
/** A browser sends a day that was left out as nothing. */
const Day = Type.Optional(Type.Union([Type.Literal(''), Type.String({ format: 'date' })]));
const querystring = Type.Object({ done: Done, from: Day, to: Day });
const CashForm = Type.Object({
  ...{ kind: FieldText, amount: FieldText, memo: FieldText, idempotency_key: IdempotencyKey },
});
const EntryParams = Type.Object({ case_id: Id, entry_id: Id });
const DecisionForm = Type.Object({
  /** A decision names what was seen (PERSON-6). */
  version: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reason: FieldText,
});
const PaymentForm = Type.Object({
  ...{ category: FieldText, amount: FieldText, due_date: FieldText, payee_id: ChoiceText },
  description: Type.String({ maxLength: 20_000, default: '' }),
  idempotency_key: IdempotencyKey,
});

/** The statement and the calendar of a case (SPC), and the forms that change them. */
export function caseMoneyRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['view_case_details', 'view_drs', 'make_payments'],
  });
  app.get(
    '/cases/:case_id/money',
    { config: { guard: reading }, schema: { params, querystring } },
    async (request, reply) => {
      const { done, from, to } = request.query;
      const period = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
      const shown = { ...request.params, done, period };
      return sendPage(reply, await readCaseMoneyPage(server, request, reading.actor(request), shown));
    },
  );
  cashRoutes(server);
  calendarRoutes(server);
}

const KINDS = ['deposit', 'refund'] as const;

/** Deposits and refunds: recorded by one person, then confirmed or refused by another. */
function cashRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments', case_id: 'case_id' });
  const config = { guard };

  app.post('/cases/:case_id/money', { config, schema: { params, body: CashForm } }, (request, reply) => {
    const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'recorded' };
    return answerChange(server, change, async (caseId, by) => {
      const { kind: text, amount, memo, idempotency_key: idempotencyKey } = request.body;
      const kind = KINDS.find((known) => known === text);
      if (kind === undefined) throw invalid('kind', 'Choose a deposit or a refund.');
      const amount_cents = readAmount('amount', amount);
      await recordCashEntry(db, caseId, { kind, amount_cents, memo, idempotencyKey }, by);
    });
  });

  const decide = (
    path: string,
    done: string,
    decision: (seen: SeenCashEntry & { reason: string }, by: ChangedByUser) => Promise<void>,
  ) =>
    app.post(
      `/cases/:case_id/money/:entry_id/${path}`,
      { config, schema: { params: EntryParams, body: DecisionForm } },
      (request, reply) => {
        const { case_id, entry_id: id } = request.params;
        const change = { request, reply, actor: guard.actor(request), case_id, done };
        return answerChange(server, change, (_, by) => decision({ case_id, id, ...request.body }, by));
      },
    );
  decide('confirm', 'confirmed', (seen, by) => confirmCashEntry(db, seen, by));
  decide('refuse', 'refused', (seen, by) => refuseCashEntry(db, seen, by));
}

function calendarRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });

  app.post(
    '/cases/:case_id/scheduled-payments',
    { config: { guard }, schema: { params, body: PaymentForm } },
    (request, reply) => {
      const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'planned' };
      return answerChange(server, change, (caseId, by) => {
        const { amount, payee_id, idempotency_key: idempotencyKey, ...texts } = request.body;
        const amount_cents = readAmount('amount', amount);
        const payment = { ...texts, amount_cents, payee_id: chosenId(payee_id), idempotencyKey };
        return addScheduledPayment(db, caseId, payment, by);
      });
    },
  );

  app.post(
    '/cases/:case_id/scheduled-payments/:payment_id/cancel',
    { config: { guard }, schema: { params: Type.Object({ case_id: Id, payment_id: Id }) } },
    (request, reply) => {
      const change = { request, reply, actor: guard.actor(request), ...request.params, done: 'cancelled' };
      return answerChange(server, change, (caseId, by) =>
        cancelScheduledPayment(db, caseId, request.params.payment_id, by),
      );
    },
  );
}

interface Change {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  case_id: number;
  done: string;
}

/** All of these forms stand on the money page of a case, and lead back to it. */
function answerChange(
  server: AdminServer,
  { request, reply, actor, case_id, done }: Change,
  change: (caseId: number, by: ChangedByUser) => Promise<unknown>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => {
      await change(case_id, changedByStaff(request, actor));
      return `/cases/${case_id}/money?done=${done}`;
    },
    again: (refused) => readCaseMoneyPage(server, request, actor, { case_id, refused }),
  });
}
