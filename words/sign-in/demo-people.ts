import { type UserType, userTypeInWords } from '../user-types.ts';

export interface DemoPerson {
  name: string;
  email_address: string;
  user_type: UserType;
  password: string;
  role: string;
  sentence: string;
}

const PEOPLE: readonly [name: string, address: string, type: UserType, sentence: string, role?: string][] = [
  ['Paige Whitlock', 'parent', 'ip', 'Approves requests and writes to the escrow team.'],
  ['Sarah Lindgren', 'surrogate', 'surrogate', 'Asks for money back and follows her payments.'],
  ['Megan Alvarado', 'manager', 'cm', 'Looks after a case for her agency.'],
  ['Olivia Prescott', 'owner', 'owner', 'Sees every case of her agency.'],
  ['Rachel Novak', 'rep', 'ip_rep', 'Speaks for the Whitlocks.'],
  ['Ruth Adeyemi', 'root', 'admin', 'Has every permission.', 'Administrator'],
  ['Elena Marsh', 'escrow', 'admin', 'Answers messages and prepares requests.', 'Escrow specialist'],
  ['Felix Brandt', 'finance', 'admin', 'Sends approved requests to the bank.', 'Finance'],
  ['Vera Lindqvist', 'viewer', 'admin', 'Can only look at cases.', 'Viewer'],
];

/**
 * The people whom the sign-in pages offer beside the form while the platform has demo data, and never in production (DEMO-4).
 * All of them are invented.
 */
export const DEMO_PEOPLE: readonly DemoPerson[] = PEOPLE.map(([name, address, user_type, sentence, role]) => ({
  name,
  email_address: `${address}@demo.test`,
  user_type,
  password: 'Demo-Passw0rd!',
  role: role ?? userTypeInWords(user_type),
  sentence,
}));
