import { invalid } from '@case-platform/lib/errors';
import { addScheduledPayment, cancelScheduledPayment } from '@case-platform/modules/cases';
import { confirmCashEntry, recordCashEntry, refuseCashEntry } from '@case-platform/modules/ledger';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { readAmount } from '../form/read-amount.ts';
import { ChoiceText, chosenId, Done, FieldText, Id, IdempotencyKey } from '../form/schemas.ts';
import { sendPage } from '../page/send-page.ts';
import { readCaseMoneyPage } from './read-case-money-page.ts';

const params = Type.Object({ case_id: Id });
/** A browser sends a day that was left out as nothing. */
const Day = Type.Optional(Type.Union([Type.Literal(''), Type.String({ format: 'date' })]));
const querystring = Type.Object({ done: Done, from: Day, to: Day });
const CashForm = Type.Object({
  kind: FieldText,
  amount: FieldText,
  memo: FieldText,
  idempotency_key: IdempotencyKey,
});
const EntryParams = Type.Object({ case_id: Id, entry_id: Id });
const DecisionForm = Type.Object({
  /** A decision names what was seen (PERSON-6). */
  version: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reason: FieldText,
});
const PaymentForm = Type.Object({
  category: FieldText,
  amount: FieldText,
  due_date: FieldText,
  payee_id: ChoiceText,
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
  app.get('/cases/:case_id/money', { config: { guard: reading }, schema: { params, querystring } }, async (request, reply) => {
    const { done, from, to } = request.query;
    const period = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
    const shown = { ...request.params, done, period };
    return sendPage(reply, await readCaseMoneyPage(server, request, reading.actor(request), shown));
  });
  cashRoutes(server);
  calendarRoutes(server);
}

const KINDS = ['deposit', 'refund'] as const;

/** The money page of a case, which all of these forms are on. */
const moneyPage = (server: AdminServer): FormPage<Static<typeof params>> => ({
  path: ({ case_id }) => `/cases/${case_id}/money`,
  readRefused: ({ request, actor, params: { case_id } }, refused) =>
    readCaseMoneyPage(server, request, actor, { case_id, refused }),
});

/** Deposits and refunds: recorded by one person, then confirmed or refused by another. */
function cashRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments', case_id: 'case_id' });
  const page = moneyPage(server);

  formRoute(server, page, '/cases/:case_id/money', {
    guard,
    params,
    body: CashForm,
    done: 'recorded',
    run: async ({ params: { case_id }, body: { kind: text, amount, memo, idempotency_key: idempotencyKey }, by }) => {
      const kind = KINDS.find((one) => one === text);
      if (kind === undefined) throw invalid('kind', 'Choose a deposit or a refund.');
      const amount_cents = readAmount('amount', amount);
      await recordCashEntry(db, case_id, { kind, amount_cents, memo, idempotencyKey }, by);
    },
  });

  formRoute(server, page, '/cases/:case_id/money/:entry_id/confirm', {
    guard,
    params: EntryParams,
    body: DecisionForm,
    done: 'confirmed',
    run: ({ params: { case_id, entry_id: id }, body, by }) => confirmCashEntry(db, { case_id, id, ...body }, by),
  });

  formRoute(server, page, '/cases/:case_id/money/:entry_id/refuse', {
    guard,
    params: EntryParams,
    body: DecisionForm,
    done: 'refused',
    run: ({ params: { case_id, entry_id: id }, body, by }) => refuseCashEntry(db, { case_id, id, ...body }, by),
  });
}

function calendarRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const page = moneyPage(server);

  formRoute(server, page, '/cases/:case_id/scheduled-payments', {
    guard,
    params,
    body: PaymentForm,
    done: 'planned',
    run: async ({ params: { case_id }, body: { amount, payee_id, idempotency_key: idempotencyKey, ...texts }, by }) => {
      const amount_cents = readAmount('amount', amount);
      const payment = { ...texts, amount_cents, payee_id: chosenId(payee_id), idempotencyKey };
      return addScheduledPayment(db, case_id, payment, by);
    },
  });

  formRoute(server, page, '/cases/:case_id/scheduled-payments/:payment_id/cancel', {
    guard,
    params: Type.Object({ case_id: Id, payment_id: Id }),
    done: 'cancelled',
    run: ({ params: { case_id, payment_id }, by }) => cancelScheduledPayment(db, case_id, payment_id, by),
  });
}
