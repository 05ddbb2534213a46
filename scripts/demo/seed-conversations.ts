import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { routeMessage } from '@case-platform/modules/messaging';
import { AGENCIES } from './case-plans.ts';
import type { Conversation, Role } from './conversation.ts';
import { FIRST_CONVERSATIONS } from './first-conversations.ts';
import { insertNumbered, insertRows } from './insert.ts';
import { LATER_CONVERSATIONS } from './later-conversations.ts';
import { ago } from './moments.ts';
import type { SeededCase } from './seed-cases.ts';
import type { People, Person } from './seed-people.ts';

/** A message with its conversation, so that a file can be attached to it. */
export interface SeededMessage {
  id: number;
  chain_id: number;
  line: number;
  conversation: Conversation;
}

/** Hours after which a message was opened. */
const READ_AFTER = 0.5;
const HOURS = 24;

interface Spoken {
  conversation: Conversation;
  line: number;
  from: Person;
  text: string;
  days: number;
  isUnread: boolean;
  members: Person[];
}

/** Seeds the demo's conversations: between two people, in groups, unread on both sides, closed, and without an owner. */
export async function seedConversations(tx: Transaction, people: People, cases: readonly SeededCase[]): Promise<SeededMessage[]> {
  const spoken = [...FIRST_CONVERSATIONS, ...LATER_CONVERSATIONS].flatMap((conversation) => speak(people, cases, conversation));
  // Ids ascend with time, as in real use, because lists are sorted by id.
  const inOrder = spoken.sort((a, b) => b.days - a.days);
  const firsts = inOrder.filter(({ line }) => line === 0);
  const places = new Map(firsts.map(({ conversation }, at) => [conversation, at]));
  const lastIds = new Map(inOrder.map(({ conversation }, at) => [conversation, at]));
  const chainIds = await insertNumbered(
    tx,
    'message_chain',
    firsts.map(({ conversation, from, days }) => {
      const { of, subject, isClosed } = conversation;
      const seededCase = cases[of - 1];
      const specialist = seededCase?.plan.specialist ?? null;
      return {
        subject,
        case_id: seededCase?.id ?? null,
        status: isClosed ? 'closed' : 'open',
        is_group: isGroup(conversation),
        assigned_admin_id: specialist === null ? null : people.of(specialist).id,
        created_by: from.id,
        created_at: ago(days),
        last_message_id: 0,
        last_message_at: lastOf(inOrder, conversation),
      };
    }),
  );
  const chainOf = (conversation: Conversation) => chainIds[places.get(conversation) ?? 0] ?? 0;
  const routed = inOrder.map((one) => ({ ...one, chain_id: chainOf(one.conversation), ...routeOf(one) }));
  const ids = await insertNumbered(
    tx,
    'message',
    routed.map(({ from, text, days, isUnread, chain_id, to_id, to_type, to_admin }) => ({
      chain_id,
      from_id: from.id,
      from_type: from.user_type,
      to_id,
      to_type,
      to_admin,
      message: text,
      created_at: ago(days),
      admin_viewed: to_admin && !isUnread ? ago(days - READ_AFTER / HOURS) : null,
    })),
  );
  await insertRows(
    tx,
    'message_recipient',
    routed.flatMap((one, at) => marksOf(one, ids[at] ?? 0)),
  );
  const members = firsts.flatMap(({ conversation, days, members }) =>
    members.map(({ id }) => ({
      chain_id: chainOf(conversation),
      user_id: id,
      joined_at: ago(days),
      last_message_id: ids[lastIds.get(conversation) ?? 0] ?? 0,
    })),
  );
  await insertRows(tx, 'message_chain_group', members);
  await linkLast(tx, members);
  return routed.map(({ chain_id, line, conversation }, at) => ({ id: ids[at] ?? 0, chain_id, line, conversation }));
}

function speak(people: People, cases: readonly SeededCase[], conversation: Conversation): Spoken[] {
  const plan = cases[conversation.of - 1]?.plan;
  const name = (role: Role): string => {
    const [parent, parent2 = ''] = plan?.parents ?? [''];
    const owner = AGENCIES[plan?.agency ?? ''];
    const names = {
      parent,
      parent2,
      surrogate: plan?.surrogate,
      manager: plan?.manager,
      specialist: plan?.specialist,
      owner,
    };
    return names[role] ?? '';
  };
  const members = conversation.members.map((role) => people.of(name(role)));
  const { lines, days, unread = 0 } = conversation;
  return lines.map(([from, text, hours = 0], line) => ({
    conversation,
    line,
    text,
    members,
    from: people.of(name(from)),
    days: days - hours / HOURS,
    isUnread: line >= lines.length - unread,
  }));
}

/** True if the first message has several recipients. */
function isGroup({ lines, members }: Conversation): boolean {
  return members.filter((role) => role !== lines[0]?.[0]).length > 1;
}

function lastOf(inOrder: readonly Spoken[], conversation: Conversation): Date {
  return ago(inOrder.findLast((one) => one.conversation === conversation)?.days ?? 0);
}

type Routed = Spoken & { chain_id: number } & ReturnType<typeof routeOf>;

function routeOf({ conversation, from, members }: Spoken) {
  const receivers = members.map(({ id, user_type }) => ({ user_id: id, user_type }));
  return routeMessage(from, { is_group: isGroup(conversation), members: receivers });
}

/** Every recipient of a message has a row with the time they viewed it. */
function marksOf({ chain_id, recipients, days, isUnread }: Routed, message_id: number) {
  const viewed = isUnread ? null : ago(days - READ_AFTER / HOURS);
  return recipients.map(({ user_id }) => ({ message_id, user_id, chain_id, viewed }));
}

async function linkLast(tx: Transaction, members: readonly { chain_id: number; last_message_id: number }[]): Promise<void> {
  const last = new Map(members.map(({ chain_id, last_message_id }) => [chain_id, last_message_id]));
  await query(
    tx,
    sql`update message_chain c set last_message_id = l.id
          from unnest(${[...last.keys()]}::bigint[], ${[...last.values()]}::bigint[]) l (chain_id, id) where c.id = l.chain_id`,
  );
}
