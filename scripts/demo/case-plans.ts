import type { CaseStatus } from '@case-platform/modules/cases';

/** The cases of the demo, in order. Everything else about them follows from their age. */

export interface CasePlan {
  status: CaseStatus;
  /** Days since it was opened. */
  opened: number;
  agency: string | null;
  manager?: string;
  specialist: string | null;
  parents: readonly [string, string?];
  surrogate: string | null;
  representative?: string;
  /** The person who decides about requests, if it is not the first parent. */
  approver?: string;
  /** The second deposit in cents, if it does not cover all costs. */
  secondDeposit?: number;
  /** The case follows the plan until `last`, and is stopped on `day`, both in days after its opening. */
  stop?: { last: number; day: number; note: string };
  /** The surrogate's monthly compensation in cents, from the heartbeat on. */
  compensation?: number;
}

export const FERNHILL = 'Fernhill Surrogacy';
const JUNIPER = 'Juniper Lane Family Building';
const COASTLINE = 'Coastline Parenthood Partners';
const MAPLE = 'Maple & Main Surrogacy';

/** The owner of each agency. */
export const AGENCIES: Readonly<Record<string, string>> = {
  [FERNHILL]: 'Olivia Prescott',
  [JUNIPER]: 'Gwen Halvorsen',
  [COASTLINE]: 'Malik Sorensen',
  [MAPLE]: 'Joanna Pruitt',
};

/** People without a bank account, whose payments wait. */
export const WITHOUT_ACCOUNT = ['Tessa Boyd'];

/** Escrow specialists in addition to those of the README. */
export const SPECIALISTS = ['Daniel Osei', 'Grace Kowalski'];

const elena = { specialist: 'Elena Marsh' };
const daniel = { specialist: 'Daniel Osei' };
const grace = { specialist: 'Grace Kowalski' };
const megan = { agency: FERNHILL, manager: 'Megan Alvarado' };
const andre = { agency: FERNHILL, manager: 'Andre Fielding' };
const priscilla = { agency: JUNIPER, manager: 'Priscilla Dunn' };
const ines = { agency: COASTLINE, manager: 'Ines Carvalho' };
const calvin = { agency: MAPLE, manager: 'Calvin Abbott' };
const alone = { agency: null };

export const CASE_PLANS: readonly CasePlan[] = [
  {
    status: 'active',
    opened: 245,
    ...megan,
    ...elena,
    secondDeposit: 2_760_000,
    parents: ['Paige Whitlock', 'Marcus Whitlock'],
    surrogate: 'Sarah Lindgren',
    representative: 'Rachel Novak',
  },
  {
    status: 'active',
    opened: 98,
    ...alone,
    ...elena,
    approver: 'Ruth Adeyemi',
    parents: ['Julia Navarro'],
    surrogate: 'Camila Navarro',
  },
  {
    status: 'active',
    opened: 58,
    ...alone,
    specialist: null,
    parents: ['Anjali Mehta', 'Rohan Mehta'],
    surrogate: 'Tessa Boyd',
  },
  {
    status: 'intake',
    opened: 4,
    ...megan,
    ...elena,
    parents: ['Claire Donnelly', 'Sean Donnelly'],
    surrogate: null,
  },
  {
    status: 'intake',
    opened: 19,
    ...andre,
    ...elena,
    parents: ['Hana Sato', 'Kenji Sato'],
    surrogate: 'Brianna Tate',
  },
  {
    status: 'pending_funding',
    opened: 53,
    ...megan,
    ...elena,
    parents: ['Aaron Feldt', 'Jonah Feldt'],
    surrogate: 'Kayla Munroe',
  },
  {
    status: 'active',
    opened: 118,
    ...megan,
    ...elena,
    parents: ['Lucia Marin'],
    surrogate: 'Danielle Frost',
  },
  {
    status: 'active',
    opened: 172,
    ...andre,
    ...daniel,
    secondDeposit: 1_800_000,
    parents: ['Wesley Garnett', 'Tara Garnett'],
    surrogate: 'Melissa Quade',
    compensation: 480_000,
  },
  {
    status: 'active',
    opened: 296,
    ...megan,
    ...elena,
    parents: ['Noor Rahmani', 'Imran Rahmani'],
    surrogate: 'Abigail Stroud',
    compensation: 425_000,
  },
  {
    status: 'on_hold',
    opened: 205,
    ...andre,
    ...elena,
    parents: ['Heidi Larsen', 'Nils Larsen'],
    surrogate: 'Renee Calloway',
    stop: { last: 128, day: 141, note: 'The transfer did not take. The parents want to rest before a second one.' },
  },
  {
    status: 'closing',
    opened: 418,
    ...megan,
    ...elena,
    parents: ['Patrick Doylan', 'Simon Achterberg'],
    surrogate: 'Jocelyn Webb',
  },
  {
    status: 'closed',
    opened: 540,
    ...megan,
    ...elena,
    parents: ['Amelia Hartwell', 'Owen Hartwell'],
    surrogate: 'Natalie Burke',
    compensation: 400_000,
  },
  {
    status: 'intake',
    opened: 9,
    ...priscilla,
    ...daniel,
    parents: ['Ravi Iyer', 'Leah Iyer'],
    surrogate: null,
  },
  {
    status: 'pending_funding',
    opened: 56,
    ...priscilla,
    ...daniel,
    parents: ['Monica Estrada', 'Luis Estrada'],
    surrogate: 'Kelsey Hobbs',
  },
  {
    status: 'active',
    opened: 142,
    ...priscilla,
    ...daniel,
    parents: ['Gareth Pryce', 'Dylan Pryce'],
    surrogate: 'Tamara Nolan',
  },
  {
    status: 'active',
    opened: 228,
    ...priscilla,
    ...daniel,
    secondDeposit: 3_000_000,
    parents: ['Ingrid Solberg', 'Peter Solberg'],
    surrogate: 'Vanessa Rudd',
  },
  {
    status: 'active',
    opened: 347,
    ...priscilla,
    ...daniel,
    parents: ['Yara Khoury', 'Elias Khoury'],
    surrogate: 'Christine Abel',
    compensation: 500_000,
  },
  {
    status: 'closed',
    opened: 512,
    ...priscilla,
    ...daniel,
    parents: ['Bethany Crosswell', 'Adam Crosswell'],
    surrogate: 'Lindsey Pope',
  },
  {
    status: 'cancelled',
    opened: 160,
    ...priscilla,
    ...daniel,
    parents: ['Fiona Keane', 'Brian Keane'],
    surrogate: 'Allison Tripp',
    stop: { last: 20, day: 38, note: 'The screening advised against a pregnancy. The match was ended in agreement.' },
  },
  {
    status: 'closing',
    opened: 409,
    ...ines,
    ...grace,
    parents: ['Marta Wojcik'],
    surrogate: 'Shannon Bellamy',
    compensation: 420_000,
  },
  {
    status: 'active',
    opened: 190,
    ...ines,
    ...grace,
    parents: ['Thomas Engel', 'Victor Engel'],
    surrogate: 'Monique Ashby',
  },
  {
    status: 'active',
    opened: 262,
    ...ines,
    ...grace,
    parents: ['Susanna Holm', 'Erik Holm'],
    surrogate: 'Rebecca Tolley',
    compensation: 460_000,
  },
  {
    status: 'on_hold',
    opened: 88,
    ...ines,
    ...grace,
    parents: ['Dana Whitcombe', 'Joel Whitcombe'],
    surrogate: 'Erin Lockhart',
    stop: { last: 70, day: 74, note: 'Medical pause of six weeks, as the clinic asked.' },
  },
  {
    status: 'pending_funding',
    opened: 50,
    ...ines,
    ...grace,
    parents: ['Omar Farouki', 'Salma Farouki'],
    surrogate: 'Paula Jennings',
  },
  {
    status: 'closed',
    opened: 585,
    ...ines,
    ...grace,
    parents: ['Helen Strand', 'George Strand'],
    surrogate: 'Kimberly Vance',
    compensation: 390_000,
  },
  {
    status: 'active',
    opened: 128,
    ...calvin,
    ...grace,
    parents: ['Isabel Duarte', 'Nuno Duarte'],
    surrogate: 'Courtney Miles',
  },
  {
    status: 'active',
    opened: 318,
    ...calvin,
    ...daniel,
    parents: ['Jasper Lindholm', 'Mikael Lindholm'],
    surrogate: 'Amber Castell',
  },
  {
    status: 'intake',
    opened: 30,
    ...calvin,
    specialist: null,
    parents: ['Rosalind Avery', 'Callum Avery'],
    surrogate: 'Stephanie Rowe',
  },
  {
    status: 'cancelled',
    opened: 300,
    ...calvin,
    ...grace,
    parents: ['Carolina Bastos', 'Diego Bastos'],
    surrogate: 'Holly Kendrick',
    stop: { last: 130, day: 158, note: 'The transfer did not take, and the parents have decided to stop.' },
  },
  {
    status: 'closed',
    opened: 474,
    ...alone,
    ...elena,
    parents: ['Evelyn Thorpe', 'Henry Thorpe'],
    surrogate: 'Jamie Sutter',
    compensation: 380_000,
  },
  {
    status: 'active',
    opened: 212,
    ...alone,
    ...grace,
    parents: ['Ling Zhao', 'Wei Zhao'],
    surrogate: 'Brooke Hanley',
  },
];

/** The name of a case: the last names of its families. */
export function nameOf({ parents: [parent], surrogate }: CasePlan): string {
  const names = [parent, surrogate].flatMap((name) => name?.split(' ').at(-1) ?? []);
  return [...new Set(names)].join(' & ');
}
