import type { CaseStatus, MilestoneKind } from '@case-platform/modules/cases';
import type { CasePlan } from './case-plans.ts';

/** Plans the course of a case, in days after its opening, without any database. */

/** The days of the milestones when all goes well. A pregnancy lasts 261 days from the transfer of a five-day embryo. */
const DAYS = {
  matched: 5,
  medical_clearance: 30,
  contract_signed: 47,
  embryo_transfer: 125,
  pregnancy_confirmed: 139,
  heartbeat_confirmed: 157,
  birth: 386,
} as const satisfies Partial<Record<MilestoneKind, number>>;
const FUNDED = 51;
const PENDING_FUNDING = 48;
const CLOSING = 397;
const CLOSED = 434;

const FIRST_DEPOSIT = 1_750_000;
const SECOND_DEPOSIT = 4_400_000;

const NOTES: Partial<Record<MilestoneKind, string>> = {
  matched: 'Parents and surrogate met by video and said yes the same evening.',
  medical_clearance: 'The letter of the clinic is on file.',
  contract_signed: 'Signed by everybody, reviewed by both attorneys.',
  pregnancy_confirmed: 'Second blood test.',
  birth: 'Everyone is well.',
};

export interface PlannedMilestone {
  kind: MilestoneKind;
  day: number;
  note: string;
  funding: number | null;
}

export function milestonesOf(plan: CasePlan): PlannedMilestone[] {
  const reached = Object.entries(DAYS)
    .filter(([kind, day]) => hasCome(plan, day) && !(kind === 'matched' && plan.surrogate === null))
    .map(([kind, day]) => ({
      kind: kind as MilestoneKind,
      day,
      note: NOTES[kind as MilestoneKind] ?? '',
      funding: kind === 'pregnancy_confirmed' ? (plan.secondDeposit ?? SECOND_DEPOSIT) : null,
    }));
  const { stop } = plan;
  return stop === undefined ? reached : [...reached, { kind: 'other', day: stop.day, note: stop.note, funding: null } as const];
}

/** The states that a case has passed through, including its current one. */
export function statesOf(plan: CasePlan): { status: CaseStatus; day: number }[] {
  const { status, stop } = plan;
  const all: { status: CaseStatus; day: number }[] = [
    { status: 'pending_funding', day: PENDING_FUNDING },
    { status: 'active', day: FUNDED },
    { status: 'closing', day: CLOSING },
    { status: 'closed', day: CLOSED },
  ];
  const gone = all.filter(({ status: one, day }) => hasCome(plan, day) && !(one === 'active' && status === 'pending_funding'));
  return stop === undefined ? gone : [...gone, { status, day: stop.day }];
}

export interface PlannedCash {
  kind: 'deposit' | 'refund';
  day: number;
  /** Null for all remaining money. */
  amount_cents: number | null;
  memo: string;
}

export function cashOf(plan: CasePlan): PlannedCash[] {
  const { status, secondDeposit = SECOND_DEPOSIT, stop } = plan;
  const deposits: PlannedCash[] = [
    { kind: 'deposit', day: FUNDED, amount_cents: FIRST_DEPOSIT, memo: 'First deposit, wire' },
    {
      kind: 'deposit',
      day: DAYS.pregnancy_confirmed + 3,
      amount_cents: secondDeposit,
      memo: 'Deposit after the pregnancy was confirmed',
    },
  ];
  const paidIn = deposits.filter(({ day }) => hasCome(plan, day) && status !== 'pending_funding');
  if (paidIn.length === 0 || (status !== 'closed' && status !== 'cancelled')) return paidIn;
  const day = stop === undefined ? CLOSED - 4 : stop.day + 12;
  return [...paidIn, { kind: 'refund', day, amount_cents: null, memo: 'What was left, back to the parents' }];
}

/** A scheduled payment, and the content of the request that pays it once it is due. */
export interface PlannedPayment {
  day: number;
  category: string;
  description: string;
  amount_cents: number;
}

const MONTH = 30;

const PARTS = 8;
const MONTHS = 11;
const compensationOf = ({ compensation = 450_000 }: CasePlan) => compensation;
const allowanceOf = (number: number) => 25_000 + (number % 3) * 5_000;

const COMPENSATION = ['Base compensation', 'Transfer fee'];

/** The contract limits of each category for the whole contract. */
export function promisedOf(
  plan: CasePlan,
  number: number,
): { category: string; cap_cents: number; note: string; compensation: boolean }[] {
  const limits = [
    { category: 'Base compensation', cap_cents: PARTS * compensationOf(plan), note: 'Section 3: in eight parts.' },
    { category: 'Monthly allowance', cap_cents: MONTHS * allowanceOf(number), note: 'Section 4: for eleven months.' },
    { category: 'Transfer fee', cap_cents: 150_000, note: 'Section 3: once.' },
    { category: 'Recovery', cap_cents: 120_000, note: 'Section 10: six weeks after the birth.' },
    { category: 'Insurance', cap_cents: 300_000, note: 'Section 11: life and health insurance.' },
    { category: 'Legal fees', cap_cents: 200_000, note: 'Section 12: her own attorney.' },
    { category: 'Parents’ travel', cap_cents: 250_000, note: 'Section 13: to scans and the birth.' },
  ];
  return limits.map((one) => ({ ...one, compensation: COMPENSATION.includes(one.category) }));
}

/** The payments that the contract promises on certain days. */
export function calendarOf(plan: CasePlan, number: number): PlannedPayment[] {
  const { surrogate, stop } = plan;
  const isSigned = surrogate !== null && hasCome(plan, DAYS.contract_signed);
  if (!isSigned) return [];
  const allowance = allowanceOf(number);
  const monthly = series(MONTHS, FUNDED + 9, (month) => {
    return {
      category: 'Monthly allowance',
      description: `Allowance, month ${month} of ${MONTHS}`,
      amount_cents: allowance,
    };
  });
  const parts = series(PARTS, DAYS.heartbeat_confirmed + 4, (part) => {
    return {
      category: 'Base compensation',
      description: `Compensation, part ${part} of ${PARTS}`,
      amount_cents: compensationOf(plan),
    };
  });
  const once: PlannedPayment[] = [
    { day: 60, category: 'Legal fees', description: 'Independent attorney for the contract', amount_cents: 125_000 },
    { day: 72, category: 'Insurance', description: 'Life insurance, first year', amount_cents: 68_000 },
    { day: 108, category: 'Medical', description: 'Start of medications', amount_cents: 50_000 },
    { day: 128, category: 'Transfer fee', description: 'Embryo transfer', amount_cents: 150_000 },
  ];
  const later: PlannedPayment[] = [
    { day: 222, category: 'Maternity clothing', description: 'Second-trimester maternity clothing', amount_cents: 75_000 },
    {
      day: 268,
      category: 'Insurance',
      description: 'Health insurance, second half of the year',
      amount_cents: 186_000,
    },
    { day: 391, category: 'Recovery', description: 'Six weeks of recovery after birth', amount_cents: 120_000 },
  ];
  const isPregnant = hasCome(plan, DAYS.pregnancy_confirmed);
  const lines = isPregnant ? [...once, ...monthly, ...parts, ...later] : [...once, ...monthly];
  return lines.filter(({ day }) => stop === undefined || day <= stop.last).sort((a, b) => a.day - b.day);
}

function series(count: number, first: number, line: (at: number) => Omit<PlannedPayment, 'day'>): PlannedPayment[] {
  return Array.from({ length: count }, (_, at) => ({ day: first + at * MONTH, ...line(at + 1) }));
}

/** True if something planned for this day after the opening has already happened. */
export function hasCome({ opened, stop }: Pick<CasePlan, 'opened' | 'stop'>, day: number): boolean {
  return day < opened && (stop === undefined || day <= stop.last);
}

/** Expenses of a surrogate that are requested: the day, the category, the description, the amount, and if she has a receipt. */
const EXPENSES: [day: number, category: string, description: string, cents: number, receipt: boolean][] = [
  [56, 'Travel', 'Mileage to the medical screening, 128 miles', 8_960, false],
  [57, 'Medical', 'Co-pay for the screening labs', 3_500, true],
  [66, 'Legal fees', 'Notary for the contract', 2_000, true],
  [101, 'Travel', 'Mileage to three monitoring visits, 186 miles', 13_020, false],
  [112, 'Medical', 'Progesterone and needles', 6_418, true],
  [124, 'Travel', 'Hotel near the clinic, two nights', 31_840, true],
  [126, 'Childcare', 'Babysitter for transfer day and a day of rest', 18_000, false],
  [127, 'Travel', 'Meals on two travel days', 8_625, true],
  [168, 'Medical', 'Co-pay for the first obstetrician visit', 4_000, true],
  [191, 'Medical', 'Prenatal vitamins, three months', 6_297, true],
  [204, 'Travel', 'Mileage to the anatomy scan, 74 miles', 5_180, false],
  [216, 'Childcare', 'Babysitter for the 20-week scan', 6_000, false],
  [251, 'Lost wages', 'Half a day off work for the glucose test', 11_200, true],
  [284, 'Medical', 'Prescribed support belt', 5_490, true],
  [309, 'Medical', 'Co-pays for two visits', 8_000, true],
  [322, 'Travel', 'Mileage to weekly visits, 212 miles', 14_840, false],
  [351, 'Lost wages', 'Two days off work on doctor’s orders', 38_400, true],
  [388, 'Travel', 'Parking at the hospital, three days', 4_200, true],
  [396, 'Medical', 'Co-pay for the postpartum visit', 4_000, true],
];

export interface Expense extends PlannedPayment {
  receipt: boolean;
}

/** Picks about two thirds of the possible expenses, so that neighboring cases differ in expenses and amounts. */
export function expensesOf(plan: CasePlan, number: number): Expense[] {
  if (plan.surrogate === null || plan.status === 'pending_funding') return [];
  return EXPENSES.flatMap(([from, category, description, cents, receipt], at) => {
    const day = from + ((number + at) % 4);
    if (!hasCome(plan, day) || (at * 7 + number * 5) % 3 === 0) return [];
    const isFixed = description.includes('miles') || cents % 500 === 0;
    const amount_cents = isFixed ? cents : cents + ((number * 37 + at * 91) % 900);
    return [{ day, category, description, amount_cents, receipt }];
  });
}
