import { SYSTEM } from '@case-platform/lib/audit';
import { createDisbursement } from '@case-platform/modules/disbursements';
import type { Command } from './command.ts';
import type { Twins } from './seed-twins.ts';

const PAYEES = ['ip in', 'ip invited', 'ip closed', 'ip left', 'ip other', 'cm in', 'admin in', 'judge in', 'surrogate in'];

const personOf = ({ crowd }: Twins, name: string) => {
  const user = crowd.get(name);
  if (user === undefined) throw new Error(name);
  return user;
};

/** Requests with each payee in turn, then with a payee of another type, and with none. */
const writing = (name: string): Command => ({
  name: `writing a request as ${name} for each payee`,
  prepare: async (tx, { id }) => {
    await tx.query({ text: `insert into admin_role_permission values ($1, 'create_drs')`, values: [id('admin_role', 'Judge')] });
    await tx.query({
      text: `insert into case_benefit (case_id, category, period, cap_cents) values ($1, 'Travel', 'case', 100)`,
      values: [id('case_file', 'Crowd')],
    });
  },
  work: (tx, twins, round) => {
    const actor = personOf(twins, name);
    const { id: user_id, user_type } = personOf(twins, PAYEES[round] ?? 'ip in');
    const payee = round > PAYEES.length ? undefined : ({ user_id, user_type: round < PAYEES.length ? user_type : 'cm' } as const);
    const request = { amount_cents: 5, category: 'Travel', description: 'Train', payee };
    return createDisbursement({ db: tx }, twins.id('case_file', 'Crowd'), request, { actor, origin: SYSTEM });
  },
  runs: PAYEES.length + 2,
});

export const REQUEST_COMMANDS: Command[] = ['surrogate in', 'judge in', 'ip left'].map(writing);
