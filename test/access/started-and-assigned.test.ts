import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { findChain, listChains, startChain } from '@case-platform/modules/messaging';
import { listAnnounced } from '../../modules/messaging/message-recipients.ts';
import { openTwoFamilies } from '../money/two-families.ts';
import { undone } from '../support/undone.ts';

/**
 * Conversations that one admin started and another is assigned to, neither of them on the team of its case. In other tests the
 * admin who starts a conversation is usually assigned to it and sees its case, so a wrong column finds the right person.
 */

const world = await openTwoFamilies();
const { db, context, family } = world;

async function addAdmin(name: string): Promise<User> {
  const [role] = await query<{ id: number }>(db, sql`insert into admin_role (name) values (${name}) returning id`);
  await query(db, sql`insert into admin_role_permission values (${role?.id ?? 0}, 'view_messages')`);
  const [admin] = await query<User>(
    db,
    sql`insert into user_account (email_address, user_type, first_name, last_name, status, admin_role_id)
        values (${`${name}@parts.test`}, 'admin', ${name}, 'Part', 'active', ${role?.id ?? 0})
        returning id, email_address, user_type, first_name, last_name, agency_id, admin_role_id`,
  );
  assert.ok(admin);
  return admin;
}

const PEOPLE = {
  starter: await addAdmin('starter'),
  assignee: await addAdmin('assignee'),
  'someone else': await addAdmin('other'),
};
type Part = keyof typeof PEOPLE;
const within = context as unknown as Parameters<typeof startChain>[0];
const text = { message: 'When does it arrive?', files: [], subject: 'A payment', case_id: family.caseId };
const { chain_id, message_id } = await startChain(within, family.parent, text);

for (const { what, ofCase, starter, assignee, readers, notified } of [
  { what: 'of a case', ofCase: true, starter: 'starter', assignee: 'assignee', readers: ['assignee'], notified: ['assignee'] },
  {
    what: 'of a case that its starter no longer sees',
    ofCase: true,
    starter: 'starter',
    assignee: 'starter',
    readers: [],
    notified: [],
  },
  {
    what: 'without a case',
    ofCase: false,
    starter: 'starter',
    assignee: 'assignee',
    readers: ['starter', 'assignee'],
    notified: ['assignee'],
  },
  {
    what: 'without a case, of one person',
    ofCase: false,
    starter: 'starter',
    assignee: 'starter',
    readers: ['starter'],
    notified: ['starter'],
  },
] as { what: string; ofCase: boolean; starter: Part; assignee: Part; readers: Part[]; notified: Part[] }[])
  test(`[CHAIN-2, CHAIN-3] a conversation ${what} is visible to ${readers.join(' and ') || 'neither'}`, async () => {
    const seen = await undone(db, async (tx) => {
      await query(
        tx,
        sql`update message_chain set created_by = ${PEOPLE[starter].id}, assigned_admin_id = ${PEOPLE[assignee].id},
                   case_id = ${ofCase ? family.caseId : null} where id = ${chain_id}`,
      );
      const recipients = (await listAnnounced(tx, [message_id])).flatMap((message) => message.recipients);
      const outcomes: [Part, boolean, boolean, boolean][] = [];
      for (const name of Object.keys(PEOPLE) as Part[]) {
        const { data } = await listChains(tx, PEOPLE[name], {});
        const isFound = (await findChain(tx, PEOPLE[name], chain_id)) !== null;
        const isListed = data.some(({ id }) => id === chain_id);
        outcomes.push([name, isFound, isListed, recipients.some(({ id }) => id === PEOPLE[name].id)]);
      }
      return outcomes;
    });
    const expected = (Object.keys(PEOPLE) as Part[]).map((name) => [
      name,
      readers.includes(name),
      readers.includes(name),
      notified.includes(name),
    ]);
    assert.deepEqual(seen, expected);
  });
