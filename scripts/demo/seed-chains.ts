import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { routeMessage } from '@case-platform/modules/messaging';
import { putObject, type Storage } from '@case-platform/modules/storage';
import { insertRow, insertRows } from './insert.ts';
import { samplePdf, samplePng } from './sample-files.ts';
import type { DemoCast } from './seed-cast.ts';

interface DemoMessage {
  from: string;
  text: string;
  hoursAgo: number;
  /** Nobody has viewed it yet. */
  unread?: boolean;
  file?: 'pdf' | 'png';
}

interface DemoChain {
  subject: string;
  case: 1 | 2 | 3;
  assigned: string | null;
  members: string[];
  messages: DemoMessage[];
}

const CHAINS: DemoChain[] = [
  {
    subject: 'Maternity clothing allowance',
    case: 1,
    assigned: 'escrow',
    members: ['surrogate'],
    messages: [
      {
        from: 'surrogate',
        text: 'Hello, I bought maternity clothes this week. Can I hand in the receipt here, or do you need a form?',
        hoursAgo: 75,
        file: 'png',
      },
      { from: 'escrow', text: 'Here is fine, thank you. The allowance covers it in full.', hoursAgo: 73 },
      { from: 'surrogate', text: 'Wonderful. When will it reach my account?', hoursAgo: 3, unread: true },
    ],
  },
  {
    subject: 'Signed escrow agreement',
    case: 1,
    assigned: 'escrow',
    members: ['parent'],
    messages: [
      { from: 'parent', text: 'Attached is the agreement, signed by both of us.', hoursAgo: 122, file: 'pdf' },
      {
        from: 'escrow',
        text: 'Received and filed. The account opens as soon as the first deposit arrives; I will write to you that day.',
        hoursAgo: 119,
      },
      { from: 'escrow', text: 'Your deposit arrived this morning. The account is open.', hoursAgo: 5, unread: true },
    ],
  },
  {
    subject: 'Transfer day: who needs what',
    case: 1,
    assigned: 'escrow',
    members: ['parent', 'parent2', 'surrogate', 'manager'],
    messages: [
      {
        from: 'escrow',
        text: 'The clinic has confirmed the date. Travel costs are paid in advance; please send your bookings here by Friday.',
        hoursAgo: 51,
      },
      {
        from: 'manager',
        text: 'I have booked the hotel for two nights. The confirmation is attached.',
        hoursAgo: 49,
        file: 'pdf',
      },
      { from: 'parent2', text: 'We arrive the evening before.', hoursAgo: 26, unread: true },
    ],
  },
  {
    subject: 'Appointment on Thursday',
    case: 1,
    assigned: 'escrow',
    members: ['parent', 'surrogate'],
    messages: [
      {
        from: 'surrogate',
        text: 'The appointment is on Thursday at ten. You are welcome to join by video.',
        hoursAgo: 30,
      },
      { from: 'parent', text: 'We would love to. Thank you for asking us.', hoursAgo: 28 },
    ],
  },
  {
    subject: 'Monthly statement',
    case: 2,
    assigned: 'escrow',
    members: ['bothParent'],
    messages: [
      { from: 'bothParent', text: 'Could you send us the statement for last month?', hoursAgo: 8, unread: true },
    ],
  },
  {
    subject: 'Who looks after our case?',
    case: 3,
    assigned: null,
    members: ['totp'],
    messages: [
      {
        from: 'totp',
        text: 'We have not heard who our escrow specialist is. Whom may I ask about travel costs?',
        hoursAgo: 20,
        unread: true,
      },
    ],
  },
];

/** Writes the demo's threads: direct, group, with attachments (where there is a storage), unread on both sides. */
export async function seedChains(
  tx: Transaction,
  storage: Storage | null,
  cast: DemoCast,
  caseIds: number[],
): Promise<void> {
  // Ids follow time, as they do in life: lists are in the order of ids.
  const inOrder = CHAINS.flatMap((chain) => chain.messages).sort((a, b) => b.hoursAgo - a.hoursAgo);
  const ids = new Map<DemoMessage, number>();
  for (const message of inOrder) ids.set(message, await nextId(tx, 'message'));
  for (const chain of CHAINS) {
    const members = chain.members.map((name) => person(cast, name));
    const chainId = await nextId(tx, 'message_chain');
    const first = chain.messages[0];
    const last = chain.messages.at(-1);
    if (first === undefined || last === undefined) continue;
    const last_message_id = ids.get(last) ?? 0;
    await insertRow(tx, 'message_chain', {
      id: chainId,
      subject: chain.subject,
      case_id: caseIds[chain.case - 1] ?? null,
      assigned_admin_id: chain.assigned === null ? null : person(cast, chain.assigned).user_id,
      is_group: members.length > 2,
      created_by: person(cast, first.from).user_id,
      created_at: ago(first.hoursAgo),
      last_message_id,
      last_message_at: ago(last.hoursAgo),
    });
    await insertRows(
      tx,
      'message_chain_group',
      members.map(({ user_id }) => ({ chain_id: chainId, user_id, last_message_id })),
    );
    for (const message of chain.messages) {
      await seedMessage(tx, storage, { chainId, messageId: ids.get(message) ?? 0, members, message, cast });
    }
  }
}

async function seedMessage(
  tx: Transaction,
  storage: Storage | null,
  {
    chainId,
    messageId,
    members,
    message,
    cast,
  }: {
    chainId: number;
    messageId: number;
    members: { user_id: number; user_type: DemoCast[string]['user_type'] }[];
    message: DemoMessage;
    cast: DemoCast;
  },
): Promise<void> {
  const sender = person(cast, message.from);
  const from = { id: sender.user_id, user_type: sender.user_type };
  const route = routeMessage(from, { is_group: members.length > 2 }, members);
  const created_at = ago(message.hoursAgo);
  const viewed = message.unread ? null : ago(message.hoursAgo - 0.5);
  const { to_id, to_type, to_admin } = route;
  await insertRow(tx, 'message', {
    ...{ id: messageId, chain_id: chainId, from_id: from.id, from_type: from.user_type, created_at },
    ...{ to_id, to_type, to_admin, message: message.text, admin_viewed: to_admin ? viewed : null },
  });
  if (route.recipients.length > 0) {
    const marks = route.recipients.map(({ user_id }) => ({
      message_id: messageId,
      user_id,
      chain_id: chainId,
      viewed,
    }));
    await insertRows(tx, 'message_recipient', marks);
  }
  if (message.file !== undefined && storage !== null) await seedFile(tx, storage, chainId, messageId, message.file);
}

async function seedFile(
  tx: Transaction,
  storage: Storage,
  chainId: number,
  messageId: number,
  kind: 'pdf' | 'png',
): Promise<void> {
  const body = kind === 'pdf' ? samplePdf('Case Platform demo document') : samplePng();
  const content_type = kind === 'pdf' ? 'application/pdf' : 'image/png';
  const storage_key = `messages/${chainId}/${messageId}/${randomUUID()}.${kind}`;
  await putObject(storage, {
    key: storage_key,
    body: Readable.from([body]),
    size: body.length,
    contentType: content_type,
  });
  const filename = kind === 'pdf' ? 'Document.pdf' : 'Receipt.png';
  await insertRow(tx, 'message_file', {
    ...{ message_id: messageId, filename, content_type, size: body.length, storage_key },
  });
}

function person(cast: DemoCast, name: string) {
  const found = cast[name];
  if (found === undefined) throw new Error(`nobody of the demo is called ${name}`);
  return { user_id: found.id, user_type: found.user_type };
}

function ago(hours: number): Date {
  return new Date(Date.now() - hours * 3_600_000);
}

async function nextId(tx: Database, table: 'message' | 'message_chain'): Promise<number> {
  const [row] = await query<{ id: number }>(tx, sql`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`);
  return row?.id ?? 0;
}
