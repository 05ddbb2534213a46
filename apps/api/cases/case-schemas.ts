import {
  CASE_STATUSES,
  type CaseStatus,
  SCHEDULED_PAYMENT_STATUSES,
  type ScheduledPaymentStatus,
} from '@case-platform/modules/cases';
import { Type } from 'typebox';
import { WhereaboutsOut } from '../disbursements/index.ts';
import { Cents, Day, Id, NullableId, NullablePerson, NullableTime, Time } from '../schemas.ts';

/** The shapes of cases that other areas show too (CASE-4). */

export const Status = Type.Unsafe<CaseStatus>({ type: 'string', enum: [...CASE_STATUSES] });

export const summary = {
  id: Id,
  name: Type.String(),
  status: Status,
  agency_id: NullableId,
  escrow_specialist_id: NullableId,
  created_at: Time,
  updated_at: Time,
};
export const CaseSummaryOut = Type.Object(summary, { title: 'CaseSummary' });

const Money = Type.Object({
  available_cents: Type.Integer(),
  held_cents: Type.Integer({ description: 'Set aside for requests that are approved and not paid yet.' }),
  planned_cents: Type.Integer({ description: 'Scheduled payments for which nothing is set aside or paid yet.' }),
});

const Shortfall = Type.Object({
  month: Type.String({ description: 'The first month that the money does not cover, YYYY-MM.' }),
  missing_cents: Type.Integer({ description: 'The deposit that covers the whole plan.' }),
});

const Stuck = Type.Object({
  id: Id,
  waiting_for: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  waiting_since: NullableTime,
  waiting_for_me: Type.Boolean({ description: 'Whether the reader has to approve it, or to add another bank account.' }),
});

export const CaseOverviewOut = Type.Object(
  {
    money: Type.Union([Money, Type.Null()], { description: 'Null for those who may not see it: surrogates.' }),
    shortfall: Type.Union([Shortfall, Type.Null()], { description: 'Null for those who may not see the balance.' }),
    open_requests: Type.Integer(),
    stuck: Type.Union([Stuck, Type.Null()], { description: 'The request that has waited longest for a person.' }),
    unread_count: Type.Integer(),
  },
  { title: 'CaseOverview' },
);

export const ScheduledPaymentOut = Type.Object(
  {
    id: Id,
    case_id: Id,
    category: Type.String(),
    description: Type.String(),
    due_date: Day,
    amount_cents: Cents,
    status: Type.Unsafe<ScheduledPaymentStatus>({
      type: 'string',
      enum: [...SCHEDULED_PAYMENT_STATUSES],
      description: '`requested`: planned, and there is a request that will pay it.',
    }),
    payee: NullablePerson,
    disbursement_id: NullableId,
    paid_at: NullableTime,
  },
  { title: 'ScheduledPayment', description: "A scheduled payment (SPC): one line of a case's payment calendar." },
);

export const CalendarPaymentOut = Type.Object(
  {
    ...ScheduledPaymentOut.properties,
    whereabouts: Type.Union([WhereaboutsOut, Type.Null()], {
      description: 'Where the payment of its request is; null without a request, and for admins whose role reads no requests.',
    }),
  },
  { title: 'CalendarPayment', description: 'A scheduled payment in the calendar of its case.' },
);
