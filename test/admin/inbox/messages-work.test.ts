import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { NotFoundError } from '@case-platform/lib/errors';
import {
  addNote,
  findChain,
  listMessages,
  removeFromCase,
  removeFromChain,
  replyToChain,
  startChain,
} from '@case-platform/modules/messaging';
import { startAdmin } from '../start-admin.ts';
import { messagesDesk } from './messages-desk.ts';

const admin = await startAdmin();
const desk = await messagesDesk(admin);
const [escrow, root, viewer] = [await admin.as('escrow'), await admin.as('root'), await admin.as('viewer')];

const chainOf = (id: number) => findChain(admin.db, desk.root, id);

test('[CHAIN-14] a person with reassign_threads assigns a conversation to a colleague, to themselves, and back to the queue', async () => {
  const chain = await desk.receive('Whose am I?');
  const page = await root.get(`/messages/${chain}`);
  assert.match(page.text, />Assign to me<\/button>/);
  assert.match(page.text, />Unassign<\/button>/);
  assert.equal((await root.post(`/messages/${chain}/assign`, { admin_id: `${desk.root.id}` })).status, 303);
  assert.equal((await chainOf(chain))?.assigned_admin_id, desk.root.id);
  assert.equal((await root.post(`/messages/${chain}/assign`, { admin_id: '' })).status, 303);
  assert.equal((await chainOf(chain))?.assigned_admin_id, null);
  assert.match((await root.get('/messages?assigned=nobody')).text, new RegExp(`href="/messages/${chain}"`));
  assert.equal((await root.post(`/messages/${chain}/assign`, { admin_id: `${desk.escrow.id}` })).status, 303);
  assert.match((await escrow.get('/messages?assigned=me')).text, new RegExp(`href="/messages/${chain}"`));
});

test('[CHAIN-14] without reassign_threads, assigning is neither offered nor accepted', async () => {
  const chain = await desk.receive('Mine stays mine');
  assert.doesNotMatch((await viewer.get('/messages')).text, /assigned(=|&#61;)nobody/);
  assert.match((await root.get('/messages')).text, /assigned(=|&#61;)nobody/);
  assert.equal((await viewer.post(`/messages/${chain}/assign`, { admin_id: '' })).status, 403);
  assert.equal((await chainOf(chain))?.assigned_admin_id, desk.escrow.id);
});

test('[CHAIN-15] an owner that is not an active member of staff, or not a number, is rejected', async () => {
  const chain = await desk.receive('Not to a parent');
  const refused = await root.post(`/messages/${chain}/assign`, { admin_id: `${desk.parent.id}` });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /a colleague with an active account/);
  for (const admin_id of ['0', 'x', '9'.repeat(20)]) {
    assert.equal((await root.post(`/messages/${chain}/assign`, { admin_id })).status, 422, admin_id);
  }
  assert.equal((await root.post(`/messages/${chain}/assign`)).status, 422);
});

test('[CHAIN-15] only staff whose role may answer are offered and accepted as owners of conversations and cases', async () => {
  const chain = await desk.receive('To somebody who can answer');
  const { rows } = await admin.pool.query(`select id from user_account where email_address = 'finance@demo.test'`);
  const mute = `${rows[0].id}`;
  const places = [
    { page: `/messages/${chain}`, action: `/messages/${chain}/assign`, list: 'assign-form' },
    { page: '/cases/1/edit', action: '/cases/1/escrow-specialist', list: 'action="/cases/1/escrow-specialist"' },
  ];
  for (const { page, action, list } of places) {
    const { text } = await root.get(page);
    const [, choices = ''] = new RegExp(`${list}.*?<select(.*?)</select>`, 's').exec(text) ?? [];
    assert.match(choices, new RegExp(`value="${desk.escrow.id}"`), `${page} offers who may answer`);
    assert.doesNotMatch(choices, new RegExp(`value="${mute}"`), `${page} offers only people who may answer`);
    const refused = await root.post(action, { admin_id: mute });
    assert.equal(refused.status, 422, action);
    assert.match(refused.text, /can’t read or write messages/);
  }
  assert.equal((await chainOf(chain))?.assigned_admin_id, desk.escrow.id);
});

test('[CHAIN-14] a conversation that was assigned away and is no longer visible leads back to the list', async () => {
  const seen = await desk.receive('Of a case');
  const { rows } = await admin.pool.query(
    `insert into message_chain (subject, created_by, assigned_admin_id, is_group, last_message_id)
     values ('Of no case', $1, $2, false, $3) returning id`,
    [desk.parent.id, desk.root.id, await desk.newestIn(seen)],
  );
  const answer = await root.post(`/messages/${rows[0].id}/assign`, { admin_id: `${desk.escrow.id}` });
  assert.deepEqual([answer.status, answer.location], [303, '/messages?done=assigned']);
  assert.match((await root.get('/messages?done=assigned')).text, /has a new owner/);
});

test('[CHAIN-14] a conversation is closed and opened again, and a reply opens it too', async () => {
  const chain = await desk.receive('Can be closed', 'To be closed');
  assert.equal((await escrow.post(`/messages/${chain}/status`, { status: 'closed' })).location, `/messages/${chain}`);
  assert.match((await escrow.get(`/messages/${chain}`)).text, />Reopen<\/span>/);
  assert.match((await escrow.get('/messages?status=closed')).text, /is-closed[^>]*href="\/messages\/\d+"/);
  assert.equal((await escrow.post(`/messages/${chain}/status`, { status: 'gone' })).status, 422);
  assert.equal((await escrow.post(`/messages/${chain}/status`, { status: 'open' })).status, 303);
  assert.equal((await chainOf(chain))?.status, 'open');
  const byScript = { 'hx-request': 'true' };
  assert.equal((await escrow.post(`/messages/${chain}/status`, { status: 'closed' }, byScript)).status, 204);
  await escrow.post(`/messages/${chain}`, { message: 'One more thing.' });
  assert.equal((await chainOf(chain))?.status, 'open');
});

test('[UNREAD-6] a conversation that was read is marked as unread, and waits again', async () => {
  const chain = await desk.receive('Read me later');
  await escrow.post(`/messages/${chain}/viewed`, { up_to_message_id: `${await desk.newestIn(chain)}` });
  assert.equal((await chainOf(chain))?.unread_count, 0);
  const answer = await escrow.post(`/messages/${chain}/unread`);
  assert.deepEqual([answer.status, answer.location], [303, '/messages?done=unread']);
  assert.equal((await chainOf(chain))?.unread_count, 1);
});

test('[MESSAGE-6] a message that its sender takes back shows who, and its words are gone', async () => {
  const chain = await desk.receive('A question');
  await escrow.post(`/messages/${chain}`, { message: 'Said too soon' });
  const id = await desk.newestIn(chain);
  const path = `/messages/${chain}/messages/${id}/retract`;
  assert.match((await escrow.get(`/messages/${chain}`)).text, new RegExp(`action="${path}"`));
  assert.doesNotMatch((await root.get(`/messages/${chain}`)).text, new RegExp(`action="${path}"`));
  assert.equal((await root.post(path)).status, 404, 'not their own');
  assert.equal((await escrow.post(path)).status, 303);
  const mine = await escrow.get(`/messages/${chain}`);
  assert.match(mine.text, /You took back a message/);
  assert.doesNotMatch(mine.text, /Said too soon/);
  assert.match((await root.get(`/messages/${chain}`)).text, /Elena Marsh took back a message/);
  assert.match((await escrow.get('/messages')).text, /You took back a message/);
});

test('[MESSAGE-6] after a day, taking a message back is neither offered nor accepted', async () => {
  const chain = await desk.receive('An old question');
  await escrow.post(`/messages/${chain}`, { message: 'An old answer' });
  const id = await desk.newestIn(chain);
  const path = `/messages/${chain}/messages/${id}/retract`;
  const offered = new RegExp(`action="${path}"`);
  assert.match((await escrow.get(`/messages/${chain}`)).text, offered);
  await admin.pool.query(`update message set created_at = now() - interval '25 hours' where id = $1`, [id]);
  assert.doesNotMatch((await escrow.get(`/messages/${chain}`)).text, offered);
  const refused = await escrow.post(path);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /within 24 hours/);
  assert.match(refused.text, /An old answer/);
});

test('[MESSAGE-7] an internal note is shown among the messages by time', async () => {
  const chain = await desk.receive('First question');
  const fields = { note: ' Ask the bank first. ', idempotency_key: 'note-of-this-form' };
  const added = await escrow.post(`/messages/${chain}/notes`, fields);
  assert.match(added.location ?? '', new RegExp(`^/messages/${chain}\\?write=note#note-\\d+$`));
  assert.equal((await escrow.post(`/messages/${chain}/notes`, fields)).location, added.location, 'once');
  await escrow.post(`/messages/${chain}`, { message: 'The answer.' });
  const { text } = await root.get(`/messages/${chain}`);
  const places = ['First question', 'Ask the bank first.', 'The answer.'].map((words) =>
    text.indexOf(`class="bubble" dir="auto">${words}`),
  );
  assert.ok(
    places.every((place, at) => place > (places[at - 1] ?? 0)),
    `${places}`,
  );
  assert.match(text, /is-note[^>]*id="note-\d+"/);
});

test('[MESSAGE-7, PAGE-2] a note without text, or with too much, comes back in the form of the note', async () => {
  const chain = await desk.receive('A question');
  const empty = await escrow.post(`/messages/${chain}/notes`, { note: ' ' });
  assert.equal(empty.status, 422);
  const long = await escrow.post(`/messages/${chain}/notes`, { note: 'x'.repeat(10_001) });
  assert.equal(long.status, 422);
  assert.match(long.text, /id="reply-form"[^>]*hidden>/);
  assert.match(long.text, /x{10001}<\/textarea>/);
});

test('[MESSAGE-7] each note is on one page of a long conversation', async () => {
  const chain = await desk.receive('Message 0');
  for (let number = 1; number < 60; number++) {
    await replyToChain(admin, desk.parent, chain, { message: `Message ${number}`, files: [] });
    if (number % 7 === 0) await addNote(admin.db, desk.escrow, chain, { note: `Note ${number}.` });
  }
  const newest = await escrow.get(`/messages/${chain}`);
  const earlier = await escrow.get(
    /href="(\/messages\/\d+\?cursor=[^"]+)"/.exec(newest.text)?.[1]?.replaceAll('&#61;', '=') ?? '',
  );
  const shown = [newest, earlier].map(({ text }) => [...text.matchAll(/Note (\d+)\./g)].map(([, number]) => Number(number)));
  assert.deepEqual(shown, [[14, 21, 28, 35, 42, 49, 56], [7]]);
});

test('[MESSAGE-7] notes are for staff: nothing that other people can request contains one', async () => {
  const chain = await desk.receive('Between us?');
  await escrow.post(`/messages/${chain}/notes`, { note: 'Only among ourselves' });
  const seen = [await findChain(admin.db, desk.parent, chain), await listMessages(admin, desk.parent, chain)];
  assert.doesNotMatch(JSON.stringify(seen), /among ourselves/);
  assert.match((await escrow.get(`/messages/${chain}`)).text, /among ourselves/);
  const parent = await admin.as('parent');
  assert.equal((await parent.get(`/messages/${chain}`)).status, 403);
  assert.equal((await parent.post(`/messages/${chain}/notes`, { note: 'Mine' })).status, 403);
});

test('[CHAIN-1, CHAIN-16] a person who is removed from a group no longer sees it', async () => {
  const chain = await desk.startGroup('To both of you');
  const path = `/messages/${chain}/people/${desk.surrogate.id}/remove`;
  assert.match((await escrow.get(`/messages/${chain}`)).text, new RegExp(`action="${path}"`));
  assert.equal((await viewer.post(path)).status, 403);
  assert.equal((await escrow.post(path)).status, 303);
  assert.equal(await findChain(admin.db, desk.surrogate, chain), null);
  assert.doesNotMatch((await escrow.get(`/messages/${chain}`)).text, new RegExp(`action="${path}"`));
  assert.equal((await escrow.post(path)).status, 404, 'they have left already');
});

test('[CHAIN-16] behind the guard, only staff remove people from a group', async () => {
  const chain_id = await desk.startGroup('To both of you');
  for (const [who, other] of [
    [desk.surrogate, desk.parent],
    [desk.parent, desk.surrogate],
  ] as const) {
    const removal = removeFromChain(admin.db, { chain_id, user_id: other.id }, { actor: who, origin: SYSTEM });
    await assert.rejects(removal, { name: 'ForbiddenError' });
    assert.notEqual(await findChain(admin.db, other, chain_id), null);
  }
});

test('[CHAIN-16] removals from a conversation and from its case at the same time do not block each other', async () => {
  const { id: userId } = desk.surrogate;
  for (let round = 0; round < 15; round++) {
    const recipients = [{ user_type: 'surrogate' as const, user_id: userId }];
    const message = { message: `Round ${round}`, case_id: 1, recipients, files: [] };
    const { chain_id } = await startChain(admin, desk.parent, message);
    await Promise.all([
      removeFromChain(admin.db, { chain_id, user_id: userId }, { actor: desk.escrow, origin: SYSTEM }).catch((error) => {
        if (!(error instanceof NotFoundError)) throw error;
      }),
      admin.db.transaction((tx) => removeFromCase(tx, 1, userId, { actor: null, origin: SYSTEM })),
    ]);
    assert.equal(await findChain(admin.db, desk.surrogate, chain_id), null);
    await admin.pool.query('update case_participant set left_at = null where case_id = 1 and user_id = $1', [userId]);
  }
});

test('[MESSAGE-10] a reply that crosses a colleague’s comes back to its writer once', async () => {
  const chain = await desk.receive('Who answers first?');
  const seen_message_id = `${await desk.newestIn(chain)}`;
  await root.post(`/messages/${chain}`, { message: 'I did.', seen_message_id });
  const crossing = await escrow.post(`/messages/${chain}`, { message: 'No, I do.', seen_message_id });
  assert.equal(crossing.status, 409);
  assert.match(crossing.text, /Ruth Adeyemi replied while you were writing/);
  assert.match(crossing.text, />No, I do\.<\/textarea>/);
  const again = /name="seen_message_id" value="(\d+)"/.exec(crossing.text)?.[1] ?? '';
  const answer = { message: 'No, I do.', idempotency_key: 'crossing-1', seen_message_id: again };
  assert.equal((await escrow.post(`/messages/${chain}`, answer)).status, 303);
  await root.post(`/messages/${chain}`, { message: 'You do, then.' });
  assert.equal((await escrow.post(`/messages/${chain}`, answer)).status, 303, 'a repeat was sent already');
});

test('[MESSAGE-10] a reply is returned if a colleague replied after what its writer had seen, and only then', async () => {
  const other = await desk.receive('Another conversation');
  const steps = {
    parent: (chain: number) => replyToChain(admin, desk.parent, chain, { message: 'And one more thing.', files: [] }),
    colleague: (chain: number) => root.post(`/messages/${chain}`, { message: 'Ruth here.' }),
    own: (chain: number) => escrow.post(`/messages/${chain}`, { message: 'In another window.' }),
    elsewhere: async (_chain: number) => root.post(`/messages/${other}`, { message: 'In another conversation.' }),
    note: (chain: number) => root.post(`/messages/${chain}/notes`, { note: 'For us.' }),
    retracted: async (chain: number) => {
      await root.post(`/messages/${chain}`, { message: 'Not this.' });
      await root.post(`/messages/${chain}/messages/${await desk.newestIn(chain)}/retract`);
    },
  };
  type Step = keyof typeof steps;
  const cases: [meanwhile: Step[], status: number][] = [
    [[], 303],
    [['parent', 'parent'], 303],
    [['own'], 303],
    [['elsewhere'], 303],
    [['note'], 303],
    [['retracted'], 303],
    [['colleague'], 409],
    [['colleague', 'parent'], 409],
    [['colleague', 'own'], 409],
    [['parent', 'colleague', 'note', 'parent'], 409],
    [['colleague', 'retracted'], 409],
    [['colleague', ...Array<Step>(30).fill('parent')], 409],
  ];
  for (const [meanwhile, status] of cases) {
    const chain = await desk.receive('Who answers this?');
    await root.post(`/messages/${chain}`, { message: 'Seen before.' });
    const seen_message_id = `${await desk.newestIn(chain)}`;
    for (const step of meanwhile) await steps[step](chain);
    const answer = await escrow.post(`/messages/${chain}`, { message: 'Me.', seen_message_id });
    assert.equal(answer.status, status, meanwhile.join(', '));
    if (status === 409) assert.match(answer.text, /Ruth Adeyemi replied while you were writing/);
  }
});

test('[CHAIN-2] an admin cannot change a conversation that they do not see', async () => {
  const chain = await desk.receive('Not for everybody');
  await admin.pool.query('delete from case_admin where user_id = $1', [desk.root.id]);
  const id = await desk.newestIn(chain);
  const tries: [string, Record<string, string>][] = [
    ['assign', { admin_id: `${desk.root.id}` }],
    ['status', { status: 'closed' }],
    ['unread', {}],
    ['notes', { note: 'Let me in' }],
    ['writing', { writing: 'reply' }],
    [`messages/${id}/retract`, {}],
    [`people/${desk.parent.id}/remove`, {}],
  ];
  for (const [path, fields] of tries) {
    assert.equal((await root.post(`/messages/${chain}/${path}`, fields)).status, 404, path);
  }
  assert.equal((await root.post(`/messages/${chain}`, { message: 'Hello', seen_message_id: '1' })).status, 404);
  const { rows } = await admin.pool.query(
    `select status, (select count(*)::int from chain_note n where n.chain_id = c.id) as notes from message_chain c where id = $1`,
    [chain],
  );
  assert.deepEqual(rows, [{ status: 'open', notes: 0 }]);
  await admin.pool.query('insert into case_admin (case_id, user_id) values (1, $1)', [desk.root.id]);
});

test('[CHAIN-17, PAGE-8] a search shows the line in which it found the words, marked and escaped', async () => {
  const chain = await desk.receive('The <b>marigold</b> account is closed', 'Garden');
  await replyToChain(admin, desk.parent, chain, { message: 'Something else', files: [] });
  const { text } = await escrow.get('/messages?q=marig');
  assert.match(text, /<mark>marigold<\/mark>/);
  assert.doesNotMatch(text, /<b>/);
  assert.match((await escrow.get('/messages?q=garden')).text, /<mark>Garden<\/mark>/);
  // Operators are not words, and a day that does not exist is an error beside the field (CHAIN-21).
  assert.match((await escrow.get('/messages?q=garden+case:1+from:paige')).text, /<mark>Garden<\/mark>/);
  assert.match((await escrow.get('/messages?q=garden+from:sarah')).text, /No conversation matches/);
  const refused = await escrow.get('/messages?q=garden+before:2026-02-30');
  assert.equal(refused.status, 422);
  assert.match(
    refused.text,
    /aria-invalid="true"[^<]*<span class="search-hint field-error" id="search-hint">“2026-02-30” isn’t a day/,
  );
  assert.equal((await escrow.get(`/messages?q=${encodeURIComponent('(a+)+$ [x')}`)).status, 200);
});

test('[INBOX-1] the inbox is filtered by owner, case, state, and unread, together', async () => {
  const { text } = await escrow.get('/messages?assigned=me&show=unread&status=open&case_id=1');
  for (const chosen of [
    /aria-current="true">Mine</,
    /value="unread"[^>]*checked/,
    /value="open" selected/,
    /value="1" selected/,
  ]) {
    assert.match(text, chosen);
  }
  assert.match(text, /href="\/messages\?[^"]*assigned&#61;nobody[^"]*"/);
  for (const path of ['/messages?assigned=x', '/messages?write=x', '/messages/1?write=x']) {
    assert.equal((await escrow.get(path)).status, path === '/messages?write=x' ? 200 : 422, path);
  }
});
