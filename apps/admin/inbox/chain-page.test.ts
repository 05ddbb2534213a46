import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import type { Chain, ChainNote, Message } from '@case-platform/modules/messaging';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { attachments } from './attachment.ts';
import { chainPage } from './chain-page.ts';
import { chainRows } from './chain-row.ts';
import { newChainPage } from './new-chain-page.ts';
import { timeline } from './timeline.ts';

/** Renders conversations without a server: for each owner, reader, and state of a message. */

const ME = 2;
const MINUTE = 60_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const ago = (minutes: number) => new Date(NOW - minutes * MINUTE);
const frameOf = (userId = ME, zone = 'UTC', ...permissions: Permission[]) =>
  staffFrame({ userId, permissions, now: new Date(NOW), zone });
const CHAIN: Chain = {
  id: 7,
  subject: 'Scan',
  case_id: 4,
  status: 'open',
  assigned_admin_id: 3,
  chain_has_unread_msg_admin: false,
  unread_count: 0,
  participants: [
    { user_id: 5, user_type: 'ip', name: 'Pat Parent' },
    { user_id: 3, user_type: 'admin', name: 'Olga Owner' },
  ],
  last_message: { id: 12, preview: 'Words', from_type: 'ip', from_id: 5, created_at: ago(1) },
  created_at: ago(100),
};
const messageOf = (id: number, minutes: number, more: Partial<Message> = {}): Message => ({
  id,
  chain_id: 7,
  from_id: 5,
  from_type: 'ip',
  from_name: 'Pat Parent',
  to_id: null,
  to_type: null,
  to_admin: true,
  message: `Words ${id}`,
  viewed: ago(0),
  created_at: ago(minutes),
  client_key: null,
  retracted_at: null,
  files: [],
  ...more,
});
const noteOf = (id: number, minutes: number): ChainNote => ({
  id,
  chain_id: 7,
  author_id: 3,
  author_name: 'Olga Owner',
  note: `Note ${id}`,
  created_at: ago(minutes),
});

const STAFF = [
  { id: ME, name: 'Ruth Adeyemi', role_name: null, may_answer: true, may_approve: false },
  { id: 3, name: 'Olga Owner', role_name: null, may_answer: false, may_approve: false },
  { id: 4, name: 'Nora No', role_name: null, may_answer: false, may_approve: false },
];
const pageOf = (view: Partial<Parameters<typeof chainPage>[1]> = {}, frame = frameOf()) =>
  tightMarkup(
    chainPage(frame, {
      chain: CHAIN,
      messages: [messageOf(12, 1), messageOf(11, 30)],
      notes: [],
      next_cursor: null,
      newest: true,
      caseName: 'Case 4',
      staff: STAFF,
      ownerProblem: null,
      mayReply: true,
      mode: 'reply',
      refused: undefined,
      ...view,
    }),
  );

test('[CHAIN-13, UNREAD-6] only the newest page marks messages as viewed, up to its newest', () => {
  const marks = (view: Parameters<typeof pageOf>[0]) => /name="up_to_message_id" value="(\d+)"/.exec(pageOf(view))?.[1] ?? null;
  const chain = { ...CHAIN, unread_count: 3 };
  assert.equal(marks({ chain }), '12');
  assert.equal(marks({ chain, newest: false }), null);
  assert.equal(marks({}), null);
  const links = (view: Parameters<typeof pageOf>[0]) =>
    [...pageOf(view).matchAll(/href="(\/messages\/7[^"#]*)"/g)].map(([, href]) => href);
  assert.deepEqual(links({}), []);
  assert.deepEqual(links({ next_cursor: 'older' }), ['/messages/7?cursor=older']);
  assert.deepEqual(links({ next_cursor: 'older', newest: false }), ['/messages/7?cursor=older', '/messages/7']);
});

test('[CHAIN-15] an owner is chosen among those who may answer, and a reader takes it or gives it up', () => {
  const shown = (assigned_admin_id: number | null, staff: typeof STAFF | null = STAFF) => {
    const page = pageOf({ staff, chain: { ...CHAIN, assigned_admin_id } });
    const [select = ''] = /<select[^>]*id="assign"[\s\S]*?<\/select>/.exec(page) ?? [];
    const choices = [...select.matchAll(/<option value="(\d*)"\s*(selected)?/g)].map(
      ([, id, mark]) => `${id}${mark === undefined ? '' : '*'}`,
    );
    const quick = [...page.matchAll(/name="admin_id" value="(\d*)"><button[^>]*>([^<]+)</g)].map(([, id, words]) =>
      `${words} ${id}`.trim(),
    );
    return [...choices, ...quick];
  };
  assert.deepEqual(shown(3), ['2', '3*', 'Assign to me 2', 'Unassign']);
  assert.deepEqual(shown(ME), ['2*', 'Unassign']);
  assert.deepEqual(shown(null), ['*', '2', 'Assign to me 2']);
  assert.deepEqual(shown(3, null), []);
});

test('[CHAIN-6] a conversation says why its owner cannot answer, and who chooses another one', () => {
  const notice = (view: Parameters<typeof pageOf>[0]) =>
    /notice-title">([^<]+ can’t answer: [^<]+)<\/p><p>([^<]+)</.exec(pageOf(view))?.slice(1) ?? null;
  const choose = 'Choose another owner under Details, so that people get an answer.';
  assert.deepEqual(notice({ ownerProblem: 'inactive' }), ['Olga Owner can’t answer: their account is closed', choose]);
  const byOthers = 'Someone who can assign conversations can give it to a colleague.';
  assert.deepEqual(notice({ ownerProblem: 'no_permission', staff: null }), [
    'Olga Owner can’t answer: their role doesn’t include messages',
    byOthers,
  ]);
  assert.equal(notice({}), null);
});

test('[CHAIN-16, GUARD-9] people are removed from a group only, by those whose role allows it', () => {
  const third = { user_id: 6, user_type: 'surrogate', name: 'Sam' } as const;
  const group = { ...CHAIN, participants: [...CHAIN.participants, third] };
  const removals = (chain: Chain, ...permissions: Permission[]) =>
    [...pageOf({ chain }, frameOf(ME, 'UTC', ...permissions)).matchAll(/\/messages\/7\/people\/(\d+)\/remove/g)].map(
      ([, id]) => id,
    );
  assert.deepEqual(removals(group, 'send_group_messages'), ['5', '6']);
  assert.deepEqual(removals(group, 'reassign_threads'), ['5', '6']);
  assert.deepEqual(removals(group, 'view_messages'), []);
  assert.deepEqual(removals(CHAIN, 'reassign_threads'), []);
});

test('[OUTBOX-3] the drafts of two people, of two conversations, and of a reply and a note are stored apart', () => {
  const drafts = (userId: number, id: number) =>
    [...pageOf({ chain: { ...CHAIN, id } }, frameOf(userId)).matchAll(/data-draft="([^"]+)"/g)].map(([, key]) => key);
  assert.deepEqual(
    [...drafts(ME, 7), ...drafts(3, 7), ...drafts(ME, 8)],
    ['2-chain-7', '2-note-7', '3-chain-7', '3-note-7', '2-chain-8', '2-note-8'],
  );
});

/** The entries of a timeline: days, the line over what is new, and each message with its marks. */
const entriesOf = (messages: Message[], notes: ChainNote[] = [], frame = frameOf()) =>
  [
    ...tightMarkup(timeline(frame, CHAIN, messages, notes)).matchAll(
      /<li class="([^"]*)"(?: id="([^"]+)")?([\s\S]*?)(?=<li class=|$)/g,
    ),
  ].map(([, look = '', id = 'new', inside = '']) =>
    [id, ...look.split(/\s+/).filter((one) => /^(is-(?!new)|follows)/.test(one)), inside.includes('/retract"') && 'retract']
      .filter(Boolean)
      .join(' '),
  );

test('[LIVE-5] messages of one sender within five minutes are one group, unless something is between', () => {
  assert.deepEqual(entriesOf([messageOf(1, 20), messageOf(2, 15.01), messageOf(3, 10.01)]), [
    'day-2026-11-23',
    'message-1',
    'message-2 follows',
    'message-3',
  ]);
  const other = { from_id: 6, from_name: 'Sam' };
  assert.deepEqual(entriesOf([messageOf(1, 3), messageOf(2, 2, other)]), ['day-2026-11-23', 'message-1', 'message-2']);
  assert.deepEqual(entriesOf([messageOf(1, 3), messageOf(2, 1)], [noteOf(9, 2)]), [
    'day-2026-11-23',
    'message-1',
    'note-9 is-note',
    'message-2',
  ]);
  assert.deepEqual(entriesOf([messageOf(1, 3), messageOf(2, 2, { viewed: null })]), [
    'day-2026-11-23',
    'message-1',
    'new',
    'message-2',
  ]);
  const midnight = 12 * 60;
  assert.deepEqual(entriesOf([messageOf(1, midnight + 1), messageOf(2, midnight)]), [
    'day-2026-11-22',
    'message-1',
    'day-2026-11-23',
    'message-2',
  ]);
  assert.deepEqual(entriesOf([messageOf(1, midnight + 1), messageOf(2, midnight)], [], frameOf(ME, 'America/New_York')), [
    'day-2026-11-22',
    'message-1',
    'message-2 follows',
  ]);
  // It is evening in New York, and the next day elsewhere.
  const evening = entriesOf([messageOf(1, 10 * 60)], [], frameOf(ME, 'America/New_York'));
  assert.deepEqual(evening, ['day-2026-11-22', 'message-1']);
});

test('[MESSAGE-6] one’s own message can be taken back for a day, and a line is over the first unread one', () => {
  const mine = { from_id: ME, from_type: 'admin', from_name: 'Ruth Adeyemi' } as const;
  const DAY = 24 * 60;
  const before = new Date(NOW - DAY * MINUTE + 1);
  assert.deepEqual(
    entriesOf([
      messageOf(1, DAY, mine),
      messageOf(2, DAY, { ...mine, created_at: before }),
      messageOf(3, 90),
      messageOf(4, 80, { ...mine, retracted_at: ago(70) }),
      messageOf(5, 60, { from_id: 3, from_type: 'admin', viewed: null }),
      messageOf(6, 50, { ...mine, viewed: null }),
      messageOf(7, 40, { viewed: null }),
    ]),
    [
      'day-2026-11-22',
      'message-1 is-mine',
      'message-2 is-mine follows retract',
      'day-2026-11-23',
      'message-3',
      'message-4 is-mine is-retracted',
      'new',
      'message-5 is-staff',
      'message-6 is-mine retract',
      'message-7',
    ],
  );
});

test('[FILE-9] a picture of up to 4 MB that browsers show is shown, and any other file is a tile', () => {
  const shown = (content_type: string, size: number) => {
    const file = { id: 1, url: '/f', filename: 'scan.png', content_type, size };
    return String(attachments([file as never])).includes('<img ');
  };
  const MB = 1024 * 1024;
  assert.deepEqual([shown('image/png', 4 * MB), shown('image/png', 4 * MB + 1)], [true, false]);
  for (const type of ['image/jpeg', 'image/gif', 'image/webp']) assert.equal(shown(type, 5), true, type);
  for (const type of ['image/svg+xml', 'image/heic', 'image/tiff', 'application/pdf', 'text/html'])
    assert.equal(shown(type, 5), false, type);
});

test('[INBOX-1, CHAIN-19] a row says who wrote last, whether it was taken back, who owns it, and what is unread', () => {
  const row = (more: Partial<Chain>) => {
    const page = tightMarkup(chainRows(frameOf(), [{ ...CHAIN, ...more }], new Map([[4, 'Case 4']])));
    const part = (name: string) =>
      new RegExp(`class="row-${name} ?([\\w-]*)">([\\s\\S]*?)</span>(?=<span class="row|</a>)`)
        .exec(page)?.[2]
        ?.replaceAll(/<[^>]+>/g, '')
        .trim();
    return [part('who'), part('role'), part('note'), part('case'), part('owner'), part('state')];
  };
  const last = CHAIN.last_message;
  assert.deepEqual(row({}), ['Pat Parent', 'Intended parent', 'Words', 'Case 4', 'Olga Owner', '']);
  assert.deepEqual(row({ last_message: { ...last, from_id: ME } })[2], 'You: Words');
  assert.deepEqual(row({ last_message: { ...last, preview: '' } })[2], 'A message was taken back');
  assert.deepEqual(row({ last_message: { ...last, preview: '', from_id: ME } })[2], 'You took back a message');
  assert.deepEqual(row({ case_id: null, assigned_admin_id: null }).slice(3, 5), ['No case', 'Unassigned']);
  assert.deepEqual(row({ case_id: 9 })[3], 'Case 9');
  const group = [...CHAIN.participants, { user_id: 6, user_type: 'surrogate' as const, name: 'Sam' }];
  assert.deepEqual(
    row({ participants: group, status: 'closed', unread_count: 2 }).filter((_, at) => at === 1 || at === 5),
    ['Group of 2', 'Closed22 unread'],
  );
});

test('[CHAIN-10, CHAIN-11] who may write to one person at a time chooses one, and cannot reply to a group', () => {
  const people = [5, 6].map((user_id) => ({ user_id, user_type: 'ip' as const, name: `Person ${user_id}` }));
  const choices = (recipients?: string[], ...permissions: Permission[]) => {
    const refused =
      recipients && ({ action: '/messages', values: { recipients, message: 'Kept words' }, words: 'No.', errors: {} } as never);
    const view = { cases: [], chosen: { id: 4, name: 'Case 4', people: people as never }, subject: undefined, refused };
    const page = tightMarkup(newChainPage(frameOf(ME, 'UTC', ...permissions), view));
    assert.equal(page.includes('>Kept words</textarea>'), recipients !== undefined);
    return [...page.matchAll(/type="(radio|checkbox)"[^>]*value="([\w:]+)"\s*(checked)?/g)].map(([, type, value, mark]) =>
      `${type} ${value} ${mark ?? ''}`.trim(),
    );
  };
  assert.deepEqual(choices(), ['radio ip:5', 'radio ip:6']);
  assert.deepEqual(choices(undefined, 'send_group_messages'), ['checkbox ip:5', 'checkbox ip:6']);
  assert.deepEqual(choices(['ip:6'], 'send_group_messages'), ['checkbox ip:5', 'checkbox ip:6 checked']);
  const replies = (mayReply: boolean, mode: 'reply' | 'note') => {
    const page = pageOf({ mayReply, mode });
    const isShown = (id: string) => !/\shidden\s*>/.test(new RegExp(`<form[^>]*id="${id}"[^>]*>`).exec(page)?.[0] ?? '');
    return [
      /<textarea[^>]*id="reply"[^>]*\sdisabled/.test(page),
      /<button[^>]*\sdisabled/.test(page),
      isShown('reply-form'),
      isShown('note-form'),
    ];
  };
  assert.deepEqual(replies(true, 'reply'), [false, false, true, false]);
  assert.deepEqual(replies(false, 'note'), [true, true, false, true]);
});
