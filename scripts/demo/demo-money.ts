import type { DisbursementStatus } from '@case-platform/modules/disbursements';

/** What the demo's money is made of; amounts in cents, days counted back from the day of seeding. */

type CaseNumber = 1 | 2 | 3;

/** From the writing of a request to its payment. */
export const DAYS_UNTIL_PAID = 5;

export const FUNDING: [of: CaseNumber, daysAgo: number, amount: number, memo: string][] = [
  [1, 195, 9_000_000, 'First deposit'],
  [1, 100, 6_500_000, 'Deposit after the pregnancy was confirmed'],
  [1, 12, 3_000_000, 'Monthly deposit'],
  [2, 60, 4_800_000, 'First deposit'],
  [3, 20, 1_200_000, 'First deposit'],
];

export const MILESTONES: [of: CaseNumber, kind: string, daysAgo: number, note: string, funding?: number][] = [
  [1, 'matched', 240, 'Parents and surrogate met by video.'],
  [1, 'contract_signed', 205, ''],
  [1, 'medical_clearance', 180, 'Letter of the clinic is on file.'],
  [1, 'embryo_transfer', 120, ''],
  [1, 'pregnancy_confirmed', 106, 'Second blood test.', 6_500_000],
  [1, 'heartbeat_confirmed', 88, ''],
  [2, 'matched', 90, ''],
  [2, 'contract_signed', 62, ''],
  [3, 'matched', 30, ''],
];

export interface DemoPayment {
  case: CaseNumber;
  /** For the request that pays it. */
  key?: string;
  category: string;
  description: string;
  payee: string;
  amount_cents: number;
  dueDaysAgo: number;
  status?: 'planned' | 'paid' | 'cancelled';
}

const allowance = (month: number): DemoPayment => ({
  case: 1,
  ...(month === 4 ? { key: 'allowance' } : {}),
  category: 'Monthly allowance',
  description: `Month ${month} of 9`,
  payee: 'surrogate',
  amount_cents: 30_000,
  dueDaysAgo: 96 - (month - 1) * 30,
  status: month <= 3 ? 'paid' : 'planned',
});
const compensation = (part: number): DemoPayment => ({
  case: 1,
  category: 'Base compensation',
  description: `Part ${part} of 8`,
  payee: 'surrogate',
  amount_cents: 450_000,
  dueDaysAgo: 80 - (part - 1) * 30,
  status: part <= 3 ? 'paid' : 'planned',
});

export const PAYMENTS: DemoPayment[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(allowance),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(compensation),
  {
    ...{ case: 1, key: 'clothing', category: 'Maternity clothing', description: 'Once, in the second trimester' },
    ...{ payee: 'surrogate', amount_cents: 75_000, dueDaysAgo: 25, status: 'paid' },
  },
  {
    ...{ case: 1, category: 'Insurance', description: 'Life insurance, first year' },
    ...{ payee: 'surrogate', amount_cents: 68_000, dueDaysAgo: 150, status: 'paid' },
  },
  {
    ...{ case: 1, category: 'Insurance', description: 'Health insurance, second half of the year' },
    ...{ payee: 'surrogate', amount_cents: 186_000, dueDaysAgo: -21 },
  },
  {
    ...{ case: 1, category: 'Travel', description: 'Second visit to the clinic, not needed any more' },
    ...{ payee: 'surrogate', amount_cents: 90_000, dueDaysAgo: 40, status: 'cancelled' },
  },
  {
    ...{ case: 2, category: 'Monthly allowance', description: 'Month 1 of 9' },
    ...{ payee: 'bothSurrogate', amount_cents: 25_000, dueDaysAgo: 18, status: 'paid' },
  },
  {
    ...{ case: 2, category: 'Monthly allowance', description: 'Month 2 of 9' },
    ...{ payee: 'bothSurrogate', amount_cents: 25_000, dueDaysAgo: -12 },
  },
  {
    ...{ case: 3, category: 'Legal fees', description: 'Contract review' },
    ...{ payee: 'totp', amount_cents: 150_000, dueDaysAgo: -9 },
  },
];

export interface DemoDisbursement {
  case: CaseNumber;
  status: DisbursementStatus;
  by: string;
  /** Default: `by`. */
  payee?: string;
  /** Default: `parent`. */
  approver?: string;
  amount_cents: number;
  category: string;
  description: string;
  daysAgo: number;
  reason?: string;
  /** The scheduled payment that it pays, or its key. */
  pays?: string | DemoPayment;
}

/** Every line of a calendar that is paid was paid by a request, asked for by the case manager where there is one. */
const PAID: DemoDisbursement[] = PAYMENTS.filter(({ status, key }) => status === 'paid' && key === undefined).map(
  (payment) => {
    const { case: of, category, description, payee, amount_cents, dueDaysAgo } = payment;
    const people = of === 1 ? { by: 'manager', payee } : { by: payee, approver: 'root' };
    const request = { case: of, status: 'paid', category, description, amount_cents } as const;
    return { ...request, ...people, daysAgo: dueDaysAgo + DAYS_UNTIL_PAID, pays: payment };
  },
);

export const DISBURSEMENTS: DemoDisbursement[] = [
  ...PAID,
  {
    ...{ case: 1, status: 'paid', by: 'surrogate', amount_cents: 75_000, daysAgo: 30, pays: 'clothing' },
    ...{ category: 'Maternity clothing', description: 'Clothes for the second trimester, as agreed' },
  },
  {
    ...{ case: 1, status: 'returned', by: 'surrogate', amount_cents: 41_236, daysAgo: 26 },
    ...{ category: 'Travel', description: 'Train and hotel for the scan in the clinic' },
  },
  {
    ...{ case: 1, status: 'denied', by: 'surrogate', amount_cents: 18_000, daysAgo: 21 },
    ...{ category: 'Childcare', description: 'Babysitter for two evenings' },
    reason: 'The agreement covers childcare on appointment days only. Please send the dates of the appointments.',
  },
  {
    ...{ case: 1, status: 'cancelled', by: 'manager', payee: 'surrogate', amount_cents: 9_900, daysAgo: 17 },
    ...{ category: 'Travel', description: 'Parking at the clinic, entered twice' },
  },
  {
    ...{ case: 1, status: 'batched', by: 'manager', payee: 'surrogate', amount_cents: 30_000, daysAgo: 4 },
    ...{ category: 'Monthly allowance', description: 'Month 4 of 9', pays: 'allowance' },
  },
  {
    ...{ case: 1, status: 'approved', by: 'surrogate', amount_cents: 12_480, daysAgo: 4 },
    ...{ category: 'Medical', description: 'Vitamins and prescriptions, pharmacy receipt of this month' },
  },
  {
    ...{ case: 1, status: 'approved', by: 'rep', payee: 'parent', amount_cents: 64_000, daysAgo: 3 },
    ...{ approver: 'parent2', category: 'Travel', description: 'Flights of both parents to the embryo transfer' },
  },
  {
    ...{ case: 1, status: 'submitted', by: 'surrogate', amount_cents: 23_750, daysAgo: 2 },
    ...{ category: 'Childcare', description: 'Childcare on the two appointment days of this month' },
  },
  {
    ...{ case: 1, status: 'submitted', by: 'manager', payee: 'surrogate', amount_cents: 186_000, daysAgo: 1 },
    ...{ category: 'Insurance', description: 'Health insurance premium, second half of the year' },
  },
  {
    ...{ case: 1, status: 'submitted', by: 'parent', amount_cents: 55_000, daysAgo: 0.3, approver: 'parent2' },
    ...{ category: 'Travel', description: 'Hotel near the clinic for the week of the birth, deposit' },
  },
  {
    ...{ case: 1, status: 'draft', by: 'surrogate', amount_cents: 8_950, daysAgo: 0.1 },
    ...{ category: 'Medical', description: 'Co-payment of the last visit' },
  },
  {
    ...{ case: 2, status: 'submitted', by: 'bothSurrogate', amount_cents: 14_200, daysAgo: 1, approver: 'root' },
    ...{ category: 'Travel', description: 'Fuel and parking for the medical screening' },
  },
  {
    ...{ case: 3, status: 'submitted', by: 'totp', amount_cents: 32_000, daysAgo: 5, approver: 'mailotp' },
    ...{ category: 'Legal fees', description: 'First consultation about the contract' },
  },
  {
    ...{ case: 3, status: 'draft', by: 'totp', amount_cents: 6_400, daysAgo: 2 },
    ...{ category: 'Medical', description: 'Blood test' },
  },
];
