import {
  BENEFIT_PERIODS,
  type BenefitPeriod,
  DISBURSEMENT_STATUSES,
  type Disbursement,
  type DisbursementFile,
  type DisbursementStatus,
  type DraftOfAnother,
  NOT_PAYABLE_REASONS,
  type NotPayableReason,
  type RequestBenefit,
  type TimelineEntry,
} from '@case-platform/modules/disbursements';
import { DISBURSEMENT_STEPS, type DisbursementStep } from '@case-platform/words/disbursement-states';
import { CATEGORY_MAX, CENTS_MAX, DESCRIPTION_MAX, MESSAGE_MAX } from '@case-platform/words/limits';
import { fromApiUserType } from '@case-platform/words/user-types';
import { PLACE_NAMES, type Place } from '@case-platform/words/whereabouts';
import { Type } from 'typebox';
import { ApiUserTypeIn, Cents, Day, Id, NullableId, NullableTime, Person, Time, toNullablePerson, toPerson } from '../schemas.ts';

/** The shapes of requests for money (REQUEST-2). */

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const DisbursementStatusName = Type.Unsafe<DisbursementStatus>({
  type: 'string',
  enum: [...DISBURSEMENT_STATUSES],
});

const DisbursementFileOut = Type.Object(
  {
    id: Id,
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    uploaded_by: Person,
    created_at: Time,
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "Works for one hour. Null while another person's picture still contains its location.",
    }),
    url_expires_at: NullableText,
  },
  { title: 'Receipt' },
);

const BankReturn = Type.Object({
  code: Type.String({ description: 'Such as R01 (Nacha Operating Rules, Appendix Four).' }),
  reason: Type.String({ description: 'The code in a sentence.' }),
  what_to_do: Type.String({ description: 'The next step, in a sentence for the caller.' }),
  who_acts: Type.Unsafe<'payee' | 'staff'>({
    type: 'string',
    enum: ['payee', 'staff'],
    description: 'The person who takes the next step.',
  }),
});

const RequestBenefitOut = Type.Object(
  {
    category: Type.String(),
    period: Type.Unsafe<BenefitPeriod>({ type: 'string', enum: [...BENEFIT_PERIODS] }),
    cap_cents: Cents,
    used_cents: Type.Integer({ description: 'Paid for other requests.' }),
    held_cents: Type.Integer({ description: 'Submitted, approved, or in a batch for other requests.' }),
    left_cents: Type.Integer({ description: 'The part of the limit that other requests leave for this one; never below zero.' }),
    over_by_cents: Type.Integer({ description: 'The amount by which this request exceeds it; 0 if it does not.' }),
  },
  { title: 'RequestBenefit' },
);

const TimelineEntryOut = Type.Object(
  {
    at: Time,
    event: Type.Unsafe<DisbursementStep>({ type: 'string', enum: DISBURSEMENT_STEPS }),
    by: Type.Union([Person, Type.Null()], {
      description: 'Null for actions of the bank or the platform. Only staff see which of them dealt with the bank.',
    }),
    note: NullableText,
  },
  { title: 'TimelineEntry' },
);

const NotPayableOut = Type.Object(
  {
    reason: Type.Unsafe<NotPayableReason>({ type: 'string', enum: [...NOT_PAYABLE_REASONS] }),
    sentence: Type.String({ description: 'The reason for people.' }),
  },
  { title: 'NotPayable' },
);

const PayeeAccountOut = Type.Object(
  {
    version: Type.String({ description: 'Opaque; `account_seen` of an approval names it.' }),
    last_four: Type.String(),
    changed_at: Time,
    changed_since_approval: Type.Boolean({
      description: 'The request was approved for another account before, so an approval needs `account_seen`.',
    }),
    previous_last_four: NullableText,
  },
  { title: 'PayeeAccount' },
);

export const Arrival = Type.Object({ date: Day, if: NullableText });

const AlarmOut = Type.Object(
  {
    raised_at: Time,
    raised_by_name: Type.String(),
    is_own: Type.Boolean({ description: 'True if the caller raised it.' }),
    chain_id: NullableId,
  },
  { title: 'Alarm' },
);

export const WhereaboutsOut = Type.Object(
  {
    state: Type.Unsafe<Place>({ type: 'string', enum: PLACE_NAMES }),
    label: Type.String({ description: 'The state for people.' }),
    holder: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The person or company that has it now; null once it has ended.',
    }),
    since: Time,
    arrives: Type.Union([Arrival, Type.Null()], {
      description: 'When the money is at the payee’s bank, after every known hold, and the condition in words.',
    }),
    was: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date', description: 'The earlier date if it moved.' }),
    why: NullableText,
    action: Type.Union([Type.Object({ kind: Type.String(), by: Type.String() }), Type.Null()], {
      description: 'The next step, and whose it is.',
    }),
  },
  { title: 'Whereabouts' },
);

const UNREAD = 'Null in a draft of somebody else.';
export const DisbursementOut = Type.Object(
  {
    id: Id,
    version: Type.String({
      description:
        "Opaque. Changes with the amount, the payee, the category, the description, the receipts and the payee's bank account.",
    }),
    case_id: Id,
    status: DisbursementStatusName,
    amount_cents: Type.Unsafe<number | null>({
      ...Cents,
      type: ['integer', 'null'],
      description: `US dollars, in cents. ${UNREAD}`,
    }),
    category: Type.Unsafe<string | null>({ type: ['string', 'null'], description: UNREAD }),
    description: Type.Unsafe<string | null>({ type: ['string', 'null'], description: UNREAD }),
    payee: Type.Union([Person, Type.Null()], { description: UNREAD }),
    submitted_by: Type.Object(Person.properties, {
      description: 'The person who submitted it, or its creator if it was never submitted.',
    }),
    submitted_at: NullableTime,
    approver: Type.Union([Person, Type.Null()], {
      description: 'The person who decides or decided; null if any staff who can approve may decide.',
    }),
    decided_at: NullableTime,
    decision_reason: NullableText,
    waiting_for: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'One line: who has to act, and since when. Null once it has ended.',
    }),
    waiting_since: NullableTime,
    whereabouts: WhereaboutsOut,
    expected_bank_date: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      description:
        "The date when the money reaches the payee's bank if the next step is taken now. Null if no money is under way.",
    }),
    covered: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description:
        'True if the case has this amount available now. Approving or retrying a request that is not covered answers 409 `insufficient_funds`. Null for callers who cannot see the balance, and unless the request is a draft, submitted, or returned.',
    }),
    paid_at: NullableTime,
    returned_at: NullableTime,
    return_code: NullableText,
    return: Type.Union([BankReturn, Type.Null()], { description: 'The reason why the bank sent the payment back.' }),
    not_payable: Type.Union([NotPayableOut, Type.Null()], {
      description: 'The reason why the next step (approving, sending to the bank, or paying again) is not possible now.',
    }),
    benefit: Type.Union([RequestBenefitOut, Type.Null()], {
      description: 'The contract limit of its category, and how much of it other requests leave.',
    }),
    payee_account: Type.Union([PayeeAccountOut, Type.Null()], {
      description: 'The account that it is paid to. Only for those who may approve it, and null without an account.',
    }),
    alarm: Type.Union([AlarmOut, Type.Null()], {
      description: 'Why all payments to the payee are stopped. Only for the person who stopped them, and for staff of the case.',
    }),
    chain_id: NullableId,
    scheduled_payment_id: NullableId,
    files: Type.Array(DisbursementFileOut),
    timeline: Type.Array(TimelineEntryOut, { description: 'Its steps so far, oldest first.' }),
    created_at: Time,
    updated_at: Time,
  },
  {
    title: 'Disbursement',
    description:
      'A disbursement request (DR). Only its maker reads a draft. Staff of its case see that it exists, without amount, description, people, receipts, and notes.',
  },
);

/** A decision names the version that was seen (REQUEST-9). */
export const SeenBody = Type.Object({
  version: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The version of the request that was seen; 409 `changed` if it has changed since.',
  }),
});

/** An approval above the contract limit has a reason, and names by how much it was seen to exceed it (CONTRACT-4). */
export const ApprovalBody = Type.Object({
  ...SeenBody.properties,
  reason: Type.Optional(
    Type.String({
      maxLength: DESCRIPTION_MAX,
      description: 'The reason for the approval. Required if the request exceeds its contract limit, else 422.',
    }),
  ),
  over_by_cents: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: CENTS_MAX,
      description:
        'The amount by which the request was seen to exceed its contract limit; 409 `changed` if it exceeds it by more now.',
    }),
  ),
  account_seen: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The `version` of the payee’s account. Needed if it changed since an earlier approval: else 409 `account_changed`.',
    }),
  ),
  undoable: Type.Optional(
    Type.Boolean({
      description:
        'Lets the caller undo it for ten seconds; people are notified after that. No effect over the contract limit, or for another account than it was approved for before.',
    }),
  ),
});

/** A question about a request, or an alarm about its payee (BANK-10). */
export const QuestionBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MESSAGE_MAX, description: 'The message.' }),
    alarm: Type.Optional(
      Type.Boolean({
        description:
          'Also stops all payments to the payee until the escrow specialist clears them. The text then goes only to the specialist.',
      }),
    ),
  },
  { title: 'Question' },
);

export const QuestionOut = Type.Object(
  {
    chain_id: Type.Unsafe<number | null>({ ...NullableId, description: 'The conversation; null for an alarm by staff.' }),
    stopped: Type.Boolean({ description: 'True if payments to the payee are stopped.' }),
  },
  { title: 'AskedQuestion' },
);

export const EndBody = Type.Object({
  version: Type.Optional(SeenBody.properties.version),
  reason: Type.String({ minLength: 1, maxLength: DESCRIPTION_MAX, description: 'The reason why it will not be paid again.' }),
});

export const RetryBody = Type.Object({
  version: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The version that was seen; 409 `changed` if it has changed since.',
    }),
  ),
  reason: Type.Optional(
    Type.String({
      maxLength: DESCRIPTION_MAX,
      description: 'The reason why it will arrive this time. Required if the payee still has the account that it came back from.',
    }),
  ),
});

const Payee = Type.Object({ user_type: ApiUserTypeIn, user_id: Id });
const fields = {
  amount_cents: Cents,
  category: Type.String({
    minLength: 1,
    maxLength: CATEGORY_MAX,
    description:
      'One of the case’s `categories`, or that of the scheduled payment it pays; anything else: 422 `unknown_category`.',
  }),
  description: Type.String({ minLength: 1, maxLength: DESCRIPTION_MAX }),
};
export const NewDisbursementBody = Type.Object(
  {
    ...fields,
    payee: Type.Optional(Type.Object(Payee.properties, { description: 'The caller by default; admins must name one.' })),
    scheduled_payment_id: Type.Optional(Type.Integer({ ...Id, description: 'The scheduled payment that it pays.' })),
  },
  { title: 'NewDisbursement' },
);
export const DisbursementChangeBody = Type.Partial(Type.Object({ ...fields, payee: Payee }), {
  title: 'DisbursementChange',
  minProperties: 1,
});

interface PayeeIn {
  user_type: Parameters<typeof fromApiUserType>[0];
  user_id: number;
}

/** Converts a payee to our own user types. */
export function fromPayee(payee: PayeeIn | undefined) {
  if (payee === undefined) return undefined;
  // The schema allows only known user types.
  return { user_id: payee.user_id, user_type: fromApiUserType(payee.user_type) ?? ('' as never) };
}

const toBankReturnOut = (back: Disbursement['return']) =>
  back && { code: back.code, reason: back.reason, what_to_do: back.what_to_do, who_acts: back.who_acts };

/** Parts of a request that are loaded separately. */
interface DisbursementParts {
  files?: readonly DisbursementFile[] | undefined;
  benefit?: RequestBenefit | null | undefined;
  timeline?: readonly TimelineEntry[] | undefined;
}

/**
 * Omits the case's name and internal fields: no schema removes anything from the answer of an error, which contains a request
 * too.
 */
export function toDisbursementOut(
  { case_name, ...disbursement }: Disbursement | DraftOfAnother,
  { files = [], benefit = null, timeline = [] }: DisbursementParts,
) {
  const { has_content, ...shown } = disbursement;
  const parts = {
    submitted_by: toPerson(shown.submitted_by),
    benefit,
    files: files.map((file) => ({ ...file, uploaded_by: toPerson(file.uploaded_by) })),
    timeline: timeline.map((step) => ({ ...step, by: toNullablePerson(step.by) })),
  };
  if (shown.payee === null) return { ...shown, ...parts };
  return {
    ...shown,
    ...parts,
    payee: toPerson(shown.payee),
    approver: toNullablePerson(shown.approver),
    return: toBankReturnOut(shown.return),
  };
}
