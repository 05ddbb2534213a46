import type { Disbursement } from '@case-platform/modules/disbursements';
import { findHome } from '@case-platform/modules/overview';
import { dayOf } from '@case-platform/words/days';
import { PLACE_NAMES, type Place } from '@case-platform/words/whereabouts';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { CaseOverviewOut, CaseStatusName, CaseSummaryOut, ScheduledPaymentOut } from '../cases/index.ts';
import { DisbursementOut, showDisbursements } from '../disbursements/index.ts';
import { ChainOut, toChainOut } from '../messaging/index.ts';
import { Cents, Day, Id, Person, toNullablePerson, toPerson } from '../schemas.ts';

const Request = Type.Intersect([DisbursementOut, Type.Object({ case_name: Type.String() })]);

const Payment = Type.Object(
  {
    disbursement_id: Id,
    case_id: Id,
    case_name: Type.String(),
    description: Type.String(),
    category: Type.String(),
    payee: Person,
    amount_cents: Cents,
    state: Type.Unsafe<'batched' | 'paid'>({ type: 'string', enum: ['batched', 'paid'] }),
    label: Type.String({ description: 'Where it is, in the words of `whereabouts`.' }),
    date: Type.Unsafe<string | null>({
      ...Day,
      type: ['string', 'null'],
      description: 'The day on which it arrives, or has arrived.',
    }),
  },
  { title: 'PaymentUnderWay' },
);

const Balance = Type.Object({
  case_id: Id,
  case_name: Type.String(),
  available_cents: Type.Integer(),
  held_cents: Type.Integer(),
  planned_cents: Type.Integer(),
});

const Shortfall = Type.Object({
  case_id: Id,
  case_name: Type.String(),
  month: Type.String(),
  missing_cents: Type.Integer({ description: 'A sum: it may be more than one amount.' }),
});

const Incoming = Type.Object(
  {
    on_its_way_cents: Type.Integer({
      description: 'Approved and not paid yet: the sum of the parts except `waiting_for_approval`.',
    }),
    parts: Type.Array(
      Type.Object({
        state: Type.Unsafe<Place>({ type: 'string', enum: [...PLACE_NAMES] }),
        label: Type.String(),
        count: Type.Integer(),
        amount_cents: Type.Integer(),
        stopped_cents: Type.Integer({ description: 'The part of it that cannot be sent for now.' }),
      }),
    ),
    account: Type.Unsafe<'add' | 'replace' | null>({
      type: ['string', 'null'],
      enum: ['add', 'replace', null],
      description: 'What the caller has to do about their bank account before all of it can be sent.',
    }),
  },
  { title: 'IncomingMoney' },
);

const HomeOut = Type.Object(
  {
    incoming: Type.Union([Incoming, Type.Null()], { description: 'What will be paid to the caller; null for staff.' }),
    decisions: Type.Array(Request, {
      description:
        'Those that wait for the caller: the newest 20, and all that were approved for an account that the payee has replaced.',
    }),
    requests: Type.Array(Request, {
      description:
        'Open ones: of a surrogate and of staff their own, else those of all their cases; whoever has waited longest first.',
    }),
    returned: Type.Array(Request, { description: 'Those of them that the bank has sent back.' }),
    drafts: Type.Array(Request),
    payments: Type.Array(Payment, { description: 'In a batch, or arrived within two weeks.' }),
    unread_count: Type.Integer(),
    unread_chains: Type.Integer(),
    unread: Type.Array(ChainOut),
    recent: Type.Array(ChainOut),
    next_scheduled: Type.Union([ScheduledPaymentOut, Type.Null()]),
    balance: Type.Union([Balance, Type.Null()], {
      description: "The parents' open case; of several the one with the least left after what is planned.",
    }),
    shortfall: Type.Union([Shortfall, Type.Null()], {
      description:
        'The case that runs short first: the first month that its money does not cover, and the deposit that covers its whole plan.',
    }),
    cases_by_status: Type.Array(Type.Object({ status: CaseStatusName, count: Type.Integer() })),
    cases: Type.Array(Type.Object({ ...CaseSummaryOut.properties, ...CaseOverviewOut.properties }), {
      description:
        'For agencies the open ones that need someone: those that run short, then those with the longest wait. Otherwise those that changed last.',
    }),
  },
  { title: 'Home' },
);

/** Everything that a person's home page shows, in one call (HOME-1). */
export function homeRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({
    perm_check: ['view_messages', 'view_case_details', 'view_drs', 'create_drs', 'edit_drs', 'approve_drs'],
  });
  app.get(
    '/api/home',
    {
      config: { guard },
      schema: {
        tags: ['home'],
        summary: 'Get what waits for you, where your requests are, and what comes next',
        response: { 200: HomeOut },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const home = await findHome(context.db, user, context.now());
      const { decisions, requests, returned, drafts } = home;
      const shown = await showDisbursements(context, user, {
        data: [...decisions, ...requests, ...returned, ...drafts],
        next_cursor: null,
      });
      const byId = new Map(shown.data.map((one) => [one.id, one]));
      const show = (list: readonly Disbursement[]) =>
        list.flatMap(({ id, case_name }) => {
          const one = byId.get(id);
          return one === undefined || one.payee === null ? [] : [{ ...one, case_name }];
        });
      return {
        ...home,
        decisions: show(decisions),
        requests: show(requests),
        returned: show(returned),
        drafts: show(drafts),
        payments: home.payments.map(toPayment),
        unread: home.unread.map(toChainOut),
        recent: home.recent.map(toChainOut),
        next_scheduled: home.next_scheduled && {
          ...home.next_scheduled,
          payee: toNullablePerson(home.next_scheduled.payee),
        },
      };
    },
  );
}

function toPayment({ id, case_id, case_name, description, category, payee, amount_cents, ...request }: Disbursement) {
  const { status, expected_bank_date, paid_at } = request;
  return {
    disbursement_id: id,
    case_id,
    case_name,
    description,
    category,
    amount_cents,
    payee: toPerson(payee),
    state: status === 'paid' ? ('paid' as const) : ('batched' as const),
    label: request.whereabouts.label,
    date: expected_bank_date ?? (paid_at === null ? null : dayOf(paid_at, 'UTC')),
  };
}
