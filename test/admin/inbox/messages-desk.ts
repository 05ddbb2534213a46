import type { User } from '@case-platform/modules/accounts';
import { startChain } from '@case-platform/modules/messaging';
import { CASE_1 } from '../../support/cast.ts';
import type { TestAdmin } from '../start-admin.ts';

/** Prepares the tests of the inbox: conversations of case 1, with the administrator on its team. */
export async function messagesDesk(admin: TestAdmin) {
  const find = async (email_address: string, user_type: string): Promise<User> => {
    const statement = 'select * from user_account where email_address = $1 and user_type = $2';
    return (await admin.pool.query(statement, [email_address, user_type])).rows[0];
  };
  const [parent, surrogate, escrow, root] = await Promise.all([
    find('parent@demo.test', 'ip'),
    find('surrogate@demo.test', 'surrogate'),
    find('escrow@demo.test', 'admin'),
    find('root@demo.test', 'admin'),
  ]);
  await admin.pool.query('insert into case_admin (case_id, user_id) values ($1, $2) on conflict do nothing', [CASE_1, root.id]);
  return {
    parent,
    surrogate,
    escrow,
    root,
    /** Sends a message of a parent to the escrow specialist. @returns the id of the conversation. */
    async receive(message: string, subject = ''): Promise<number> {
      return (await startChain(admin, parent, { message, subject, case_id: CASE_1, files: [] })).chain_id;
    },
    /** Sends a message of the escrow specialist to a parent and the surrogate. @returns the id of the conversation. */
    async startGroup(message: string, subject = ''): Promise<number> {
      const recipients = [parent, surrogate].map(({ id, user_type }) => ({ user_type, user_id: id }));
      const input = { message, subject, case_id: CASE_1, recipients, files: [] };
      return (await startChain(admin, escrow, input)).chain_id;
    },
    /** Returns the id of the newest message of a conversation. */
    async newestIn(chain: number): Promise<number> {
      const { rows } = await admin.pool.query('select max(id) as id from message where chain_id = $1', [chain]);
      return rows[0].id;
    },
  };
}
