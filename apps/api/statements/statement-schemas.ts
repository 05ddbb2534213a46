import { PAPERS, type Paper } from '@case-platform/lib/pdf/paper';
import { CASH_KINDS, type CashKind } from '@case-platform/words/money';
import { Type } from 'typebox';
import { WhereaboutsOut } from '../disbursements/index.ts';
import { Cents, Day, Id, NullableId } from '../schemas.ts';

/** The shapes of statements (STATEMENT-1). */

const SignedCents = Type.Integer({ description: 'US dollars, in cents; what leaves is negative.' });

const NullableText = { type: ['string', 'null'] };
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'YYYY-MM' });

const formats = ['json', 'csv', 'pdf'] as const;
type StatementFormat = (typeof formats)[number];

/** The paper of a PDF. */
export const PaperChoice = Type.Optional(
  Type.Unsafe<Paper>({
    type: 'string',
    enum: [...PAPERS],
    description: 'Default: that of the region among the browser’s languages, Letter where none is named.',
  }),
);

export const PeriodQuery = Type.Object({
  from: Type.Optional(Type.String({ format: 'date', description: 'Default: 90 days up to the last one.' })),
  to: Type.Optional(
    Type.String({ format: 'date', description: 'The last day, included. Default: today. At most 366 days in all.' }),
  ),
  format: Type.Optional(Type.Unsafe<StatementFormat>({ type: 'string', enum: [...formats], default: 'json' })),
  paper: PaperChoice,
});

export const CaseStatementOut = Type.Object(
  {
    case_id: Id,
    case_name: Type.String(),
    from: Day,
    to: Day,
    opening_balance_cents: Type.Integer(),
    closing_balance_cents: Type.Integer({ description: 'The opening balance and the sum of all amounts.' }),
    data: Type.Array(
      Type.Object({
        date: Day,
        kind: Type.Unsafe<CashKind>({ type: 'string', enum: [...CASH_KINDS] }),
        description: Type.String({ description: 'What it was for.' }),
        category: Type.Unsafe<string | null>({ ...NullableText, description: 'Null for deposits and refunds.' }),
        payee: Type.Unsafe<string | null>({
          ...NullableText,
          description: 'The name of the payee; null for deposits and refunds.',
        }),
        amount_cents: SignedCents,
        balance_cents: Type.Integer({ description: 'What the case held after it.' }),
        disbursement_id: NullableId,
      }),
    ),
    set_aside: Type.Array(
      Type.Object({
        disbursement_id: Id,
        description: Type.String(),
        category: Type.String(),
        payee: Type.String({ description: 'The name of the payee.' }),
        amount_cents: Cents,
        whereabouts: WhereaboutsOut,
      }),
      {
        description:
          'Approved requests that are not paid yet, the oldest first, at most 100; empty for a period that ends before today. The closing balance contains them.',
      },
    ),
    months: Type.Array(
      Type.Object({
        month: Month,
        in_cents: Type.Integer(),
        out_cents: Type.Integer({ description: 'Zero or negative.' }),
        balance_cents: Type.Integer({ description: 'What the case held after the month.' }),
      }),
      { description: 'The totals of the months in which money moved, the oldest first; empty for a period within one month.' },
    ),
  },
  { title: 'CaseStatement', description: 'What a case held and what moved it, the oldest first.' },
);

export const OwnPaymentsOut = Type.Object(
  {
    from: Day,
    to: Day,
    total_cents: Type.Integer({ description: 'What has arrived, without what came back.' }),
    data: Type.Array(
      Type.Object({
        date: Day,
        case_id: Id,
        description: Type.String(),
        category: Type.String(),
        amount_cents: Cents,
        disbursement_id: Id,
        state: Type.Unsafe<'paid' | 'returned'>({ type: 'string', enum: ['paid', 'returned'] }),
        sees_case: Type.Boolean({ description: 'Whether the caller still sees the case, and so the request.' }),
      }),
    ),
    months: Type.Array(Type.Object({ month: Month, total_cents: Type.Integer() }), {
      description: 'The totals of the months with payments, without what came back; empty for a period within one month.',
    }),
  },
  { title: 'OwnPayments', description: 'What was paid to the caller, over all cases, the oldest first.' },
);

export const inFormats = <Body extends import('typebox').TSchema>(body: Body) => ({
  content: {
    'application/json': { schema: body },
    'text/csv': { schema: Type.String() },
    'application/pdf': { schema: Type.String({ format: 'binary' }) },
  },
});
