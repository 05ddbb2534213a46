import { type DomainError, InvalidInputError, invalid } from '@case-platform/lib/errors';
import { addScheduledPayment, type ChangedByUser, cancelScheduledPayment } from '@case-platform/modules/cases';
import {
  confirmCashEntry,
  recordCashEntry,
  refuseCashEntry,
  type SeenCashEntry,
} from '@case-platform/modules/disbursements';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readAmount } from '../form/read-amount.ts';
import { Cursor, Id, IdempotencyKey } from '../form/schemas.ts';
import { ChoiceText, chosenId, FieldText, formProblem, isForForm } from '../form/user-form-fields.ts';
import { changedByStaff } from '../guards/changed-by-staff.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import type { FailedForm } from './case-money-page.ts';
import { drawCaseMoney } from './draw-case-money.ts';

const params = Type.Object({ case_id: Id });
const querystring = Type.Object({
  done: Type.Optional(Type.String({ maxLength: 20 })),
  cursor: Type.Optional(Cursor),
});
const MoneyForm = Type.Object({
  ...{ kind: FieldText, amount: FieldText, memo: FieldText, idempotency_key: IdempotencyKey },
});
const EntryParams = Type.Object({ case_id: Id, entry_id: Id });
const DecisionForm = Type.Object({
  /** What was seen is what is decided (decisions, section 11). */
  version: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reason: FieldText,
});
const PaymentForm = Type.Object({
  ...{ category: FieldText, amount: FieldText, due_date: FieldText, payee_id: ChoiceText },
  description: Type.String({ maxLength: 20_000, default: '' }),
  idempotency_key: IdempotencyKey,
});

/** The statement and the calendar of a case (SPC), and what writes into them. */
export function caseMoneyRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['view_case_details', 'view_drs', 'make_payments'],
  });
  app.get(
    '/cases/:case_id/money',
    { config: { guard: reading }, schema: { params, querystring } },
    async (request, reply) =>
      sendPage(
        reply,
        await drawCaseMoney(server, request, reading.actor(request), { ...request.params, ...request.query }),
      ),
  );
  moneyRoutes(server);
  calendarRoutes(server);
}

const KINDS = ['deposit', 'refund'] as const;

/** What comes in for a case and goes back: recorded by one person, and by another confirmed or refused. */
function moneyRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments', case_id: 'case_id' });
  const config = { guard };

  app.post('/cases/:case_id/money', { config, schema: { params, body: MoneyForm } }, (request, reply) => {
    const { idempotency_key: idempotencyKey, ...values } = request.body;
    const step = { request, reply, actor: guard.actor(request), ...request.params, form: 'money', values } as const;
    return change(server, step, async (caseId, by) => {
      const kind = KINDS.find((known) => known === values.kind);
      if (kind === undefined) throw invalid('kind', 'Choose what has happened.');
      const amount_cents = readAmount('amount', values.amount);
      await recordCashEntry(db, caseId, { kind, amount_cents, memo: values.memo, idempotencyKey }, by);
      return 'recorded';
    });
  });

  const decide = (
    path: string,
    done: string,
    work: (seen: SeenCashEntry & { reason: string }, by: ChangedByUser) => Promise<void>,
  ) =>
    app.post(
      `/cases/:case_id/money/:entry_id/${path}`,
      { config, schema: { params: EntryParams, body: DecisionForm } },
      (request, reply) => {
        const { case_id, entry_id: id } = request.params;
        const step = { request, reply, actor: guard.actor(request), case_id, form: 'cash', values: {} } as const;
        return change(server, step, async (_, by) => {
          await work({ case_id, id, ...request.body }, by);
          return done;
        });
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
      const { idempotency_key: idempotencyKey, ...values } = request.body;
      const step = { request, reply, actor: guard.actor(request), ...request.params, form: 'payment', values } as const;
      return change(server, step, async (caseId, by) => {
        const { amount, payee_id, ...texts } = values;
        const payment = {
          ...texts,
          amount_cents: readAmount('amount', amount),
          payee_id: chosenId(payee_id),
          idempotencyKey,
        };
        await addScheduledPayment(db, caseId, payment, by);
        return 'planned';
      });
    },
  );

  app.post(
    '/cases/:case_id/scheduled-payments/:payment_id/cancel',
    { config: { guard }, schema: { params: Type.Object({ case_id: Id, payment_id: Id }) } },
    (request, reply) => {
      const { case_id, payment_id } = request.params;
      const step = { request, reply, actor: guard.actor(request), case_id, form: 'cancel', values: {} } as const;
      return change(server, step, async (caseId, by) => {
        await cancelScheduledPayment(db, caseId, payment_id, by);
        return 'cancelled';
      });
    },
  );
}

interface Step extends Pick<FailedForm, 'form' | 'values'> {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  case_id: number;
}

/** Does what a form asks for, and goes on; what refuses it stands at its fields, which keep what was typed. */
async function change(
  server: AdminServer,
  { request, reply, actor, case_id, form, values }: Step,
  work: (caseId: number, by: ChangedByUser) => Promise<string>,
): Promise<FastifyReply> {
  try {
    const done = await work(case_id, changedByStaff(request, actor));
    return reply.redirect(`/cases/${case_id}/money?done=${done}`, 303);
  } catch (error) {
    if (!isForForm(error)) throw error;
    const problem = formProblem(inFormWords(error));
    const page = await drawCaseMoney(server, request, actor, { case_id, failed: { form, values, problem } });
    return sendPage(reply.code(error.status), page);
  }
}

/** The module counts in cents, the form asks for dollars. */
function inFormWords(error: DomainError): DomainError {
  if (!(error instanceof InvalidInputError)) return error;
  const errors = error.errors.map(({ field, message }) => ({ field: field.replace(/_cents$/, ''), message }));
  return new InvalidInputError(errors);
}
