import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { recordCashEntry } from '@case-platform/modules/ledger';
import { addNote, announce, removeFromCase, startChain } from '@case-platform/modules/messaging';
import { toApiUserType } from '@case-platform/words/user-types';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { startAdmin } from '../admin/start-admin.ts';
import { CASE_1, type CastName } from '../support/cast.ts';
import { uploadAndConfirm } from '../support/direct-upload.ts';
import { EventReader } from '../support/event-reader.ts';
import { grant } from '../support/grant.ts';
import { draft, fundCase, move, type RequestFields } from '../support/money.ts';
import { type Client, startApi } from '../support/platform.ts';

/**
 * Every kind of object contains a unique word. The table lists for each kind the people who find that word anywhere: in answers
 * of the API, on pages of the staff application, in live events, mails, and pushes. `rep` has left the case; `viewer` and
 * `finance` are staff who are not on this case; `bothSurrogate` is on another case.
 */

const PEOPLE = ['parent', 'parent2', 'surrogate', 'manager', 'owner', 'rep', 'bothSurrogate'] as const;
const STAFF = ['escrow', 'root', 'finance', 'viewer'] as const;
const ALL: readonly CastName[] = [...PEOPLE, ...STAFF];

const api = await startApi();
const admin = await startAdmin({ database: api, storage: api.storage });
await grant(api.pool, 'viewer', 'view_messages');
await grant(api.pool, 'finance', 'view_messages');
await fundCase(api, CASE_1, 900_000_000);
const clients = new Map(await Promise.all(ALL.map(async (name) => [name, await api.as(name)] as const)));
const who = (name: CastName) => clients.get(name) as Client;
const user = async (name: CastName) => (await findActiveUserById(api.db, who(name).userId)) as User;
const rows = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;

const group = { case_id: CASE_1, subject: 'Everyone', message: 'To everyone', files: [] };
const members = await rows(
  `select u.id::int as user_id, u.user_type from case_participant p join user_account u on u.id = p.user_id
    where p.case_id = 1 and p.left_at is null`,
);
const { chain_id: groupChain } = await startChain(api, await user('escrow'), { ...group, recipients: members });
await api.db.transaction((tx) => removeFromCase(tx, CASE_1, who('rep').userId, { actor: null, origin: SYSTEM }));
await rows(
  `insert into push_subscription (user_id, user_type, endpoint, p256dh, auth, vapid_key_id)
   select id, user_type, 'http://127.0.0.1:1/' || id, 'x', 'x', 'x' from user_account where id = any($1)`,
  ALL.map((name) => who(name).userId),
);
await api.work();

const pdf = (filename: string) => ({ filename, content_type: 'application/pdf', content: samplePdf('A file') });
const submit = async (fields: RequestFields) => {
  const { id } = await draft(who('surrogate'), fields);
  await move(who('surrogate'), id, 'submit');
  return id;
};

interface Kind {
  /** Makes an object with the word. @returns paths of the API and of the staff application that show it by its id. */
  make: (word: string) => Promise<string[]>;
  /** The people who find the word when they read everything they can. */
  read: CastName[];
  /** The people who get a live event when it is made, not counting their own unread count. */
  live: CastName[];
  /** The people who get a mail or a push. */
  notified: CastName[];
}

const ON_CASE: CastName[] = ['parent', 'parent2', 'surrogate', 'manager', 'owner'];
const STAFF_OF_CASE: CastName[] = ['escrow', 'root'];

const KINDS: Record<string, Kind> = {
  'a draft': {
    make: async (word) => {
      const { id } = await draft(who('surrogate'), { description: word });
      return [`/disbursements/${id}`];
    },
    read: ['surrogate'],
    live: ['surrogate'],
    notified: [],
  },
  'a receipt of a draft': {
    make: async (word) => {
      const { id } = await draft(who('surrogate'));
      await uploadAndConfirm(who('surrogate'), `/api/disbursements/${id}/files`, pdf(`${word}.pdf`));
      return [`/disbursements/${id}`];
    },
    read: ['surrogate'],
    live: ['surrogate'],
    notified: [],
  },
  'a request that was sent': {
    make: async (word) => [`/disbursements/${await submit({ description: word })}`],
    read: [...ON_CASE, ...STAFF_OF_CASE],
    live: [...ON_CASE, ...STAFF_OF_CASE],
    notified: ['parent'],
  },
  'a reason to deny a request': {
    make: async (word) => {
      const id = await submit({});
      const { version } = (await who('parent').get(`/api/disbursements/${id}`)).body;
      assert.equal((await who('parent').post(`/api/disbursements/${id}/deny`, { version, reason: word })).status, 200);
      return [`/disbursements/${id}`];
    },
    read: [...ON_CASE, ...STAFF_OF_CASE],
    live: [...ON_CASE, ...STAFF_OF_CASE],
    notified: ['parent', 'surrogate', 'escrow'],
  },
  'a note among staff': {
    make: async (word) => {
      await addNote(api.db, await user('escrow'), groupChain, { note: word });
      return [`/messages/${groupChain}`, `/messages/${groupChain}/notes`];
    },
    read: ['escrow'],
    live: ['escrow'],
    notified: [],
  },
  'a message to the group': {
    make: async (word) => {
      const recipients = JSON.stringify(
        members
          .filter(({ user_id }) => user_id !== who('parent').userId && user_id !== who('rep').userId)
          .map(({ user_id, user_type }) => ({ user_id, user_type: toApiUserType(user_type) })),
      );
      const { status, body } = await who('parent').form('/api/messages', { message: word, case_id: '1', recipients });
      assert.equal(status, 201, JSON.stringify(body));
      return [`/messages/${body.chain.id}`];
    },
    read: [...ON_CASE, 'escrow'],
    live: [...ON_CASE, 'escrow'],
    notified: ['parent2', 'surrogate', 'manager', 'owner', 'escrow'],
  },
  'a message of two people': {
    make: async (word) => {
      const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: who('surrogate').userId }]);
      const { body } = await who('parent').form('/api/messages', { message: word, case_id: '1', recipients });
      return [`/messages/${body.chain.id}`];
    },
    read: ['parent', 'surrogate', 'escrow'],
    live: ['parent', 'surrogate', 'escrow'],
    notified: ['surrogate', 'escrow'],
  },
  'a document': {
    make: async (word) => {
      await uploadAndConfirm(who('parent'), `/api/cases/${CASE_1}/documents`, pdf(`${word}.pdf`));
      return [];
    },
    read: [...ON_CASE, ...STAFF_OF_CASE],
    live: [],
    notified: [],
  },
  'a deposit that waits': {
    make: async (word) => {
      const entry = { kind: 'deposit', amount_cents: 100, memo: word } as const;
      await recordCashEntry(api.db, CASE_1, entry, { actor: await user('root'), origin: SYSTEM });
      return [];
    },
    read: STAFF_OF_CASE,
    live: [],
    notified: [],
  },
  'a bank account': {
    make: async (word) => {
      const fields = {
        holder_name: word,
        routing_number: '011000015',
        account_number: '123456789',
        account_kind: 'checking',
      };
      const { status, body } = await who('surrogate').call('PUT', '/api/user/me/bank-account', {
        body: JSON.stringify({ ...fields, pass_hash: 'Demo-Passw0rd!' }),
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(status, 200, JSON.stringify(body));
      return [`/bank-accounts/${who('surrogate').userId}`];
    },
    // A first account that its owner sets replaces none, so no one has to be warned (BANK-1).
    read: ['surrogate', 'root'],
    live: [],
    notified: [],
  },
  'a question about a request': {
    make: async (word) => {
      const id = await submit({});
      const { status, body } = await who('parent').post(`/api/disbursements/${id}/question`, { text: word });
      assert.equal(status, 201, JSON.stringify(body));
      return [`/disbursements/${id}`, `/messages/${body.chain_id}`];
    },
    read: ['parent', 'surrogate', 'escrow'],
    live: [...ON_CASE, ...STAFF_OF_CASE],
    notified: ['parent', 'surrogate', 'escrow'],
  },
  // The payee learns that payments stopped, and neither why nor who raised the alarm (BANK-10).
  'an alarm about a payee': {
    make: async (word) => {
      const id = await submit({});
      const { status, body } = await who('parent').post(`/api/disbursements/${id}/question`, { text: word, alarm: true });
      assert.equal(status, 201, JSON.stringify(body));
      return [`/disbursements/${id}`, `/messages/${body.chain_id}`];
    },
    read: ['parent', 'escrow', 'root'],
    live: [...ON_CASE, ...STAFF_OF_CASE],
    notified: ['parent', 'surrogate', 'escrow', 'root'],
  },
};

const CALLS = [
  '/home',
  '/cases',
  '/disbursements?limit=100',
  '/messages?limit=100',
  '/messages/recipients?case_id=1',
  '/user/me',
  '/user/me/bank-account',
  '/user/me/payments',
  '/messages/unread/count',
  ...[
    '',
    '/benefits',
    '/disbursements?limit=100',
    '/documents',
    '/messages',
    '/payees',
    '/projection',
    '/proofs',
    '/scheduled-payments',
  ].map((path) => `/cases/${CASE_1}${path}`),
  `/cases/${CASE_1}/timeline?limit=100`,
  `/cases/${CASE_1}/statement`,
];
const PAGES = [
  '/',
  '/cases',
  '/disbursements',
  '/messages',
  '/payments',
  '/batches',
  '/batches/new',
  '/audit',
  '/deliveries',
  `/cases/${CASE_1}`,
  `/cases/${CASE_1}/edit`,
  `/cases/${CASE_1}/money`,
  `/cases/${CASE_1}/proofs`,
  '/users',
  '/agencies',
];

/** Everything that a person can read, in one text. */
async function readAll(name: CastName, paths: string[]): Promise<string> {
  let text = '';
  for (const path of [...CALLS, ...paths]) text += JSON.stringify((await who(name).get(`/api${path}`)).body ?? '');
  const visitor = visitors.get(name);
  if (visitor !== undefined) for (const path of [...PAGES, ...paths]) text += (await visitor.get(path)).text;
  return text;
}

const visitors = new Map(await Promise.all(STAFF.map(async (name) => [name as CastName, await admin.as(name)] as const)));
const streams = new Map<CastName, EventReader>();
for (const name of ALL) {
  const reader = await EventReader.open(`${api.baseUrl}/api/messages/events`, {
    authorization: `Bearer ${who(name).token}`,
  });
  streams.set(name, reader);
  after(() => reader.close());
  await reader.next(({ event }) => event === 'unread');
}
const { chain_id: fence } = await startChain(api, await user('bothSurrogate'), { message: 'Fence', files: [] });

/** The people who got an event since the last call, not counting their own unread count. */
async function listReached(): Promise<CastName[]> {
  const reached = new Set<CastName>();
  // Two rounds are needed, because changes of cases follow the events of conversations that are sent with them.
  for (let round = 0; round < 2; round++) {
    await announce(api.db, { kind: 'chain', chain_id: fence, no_longer: ALL.map((name) => who(name).userId) });
    for (const [name, reader] of streams) {
      for (let event = await reader.next(); event.data.chain_id !== fence; event = await reader.next())
        if (event.event !== 'unread') reached.add(name);
    }
  }
  return ALL.filter((name) => reached.has(name));
}

/** The people who got a mail or a push since the last call. */
let lastDelivery = 0;
async function listNotified(): Promise<CastName[]> {
  await api.work();
  const sent = await rows(
    'select distinct user_id::int as id, max(id) over ()::int as last from delivery where id > $1',
    lastDelivery,
  );
  lastDelivery = sent[0]?.last ?? lastDelivery;
  return ALL.filter((name) => sent.some(({ id }) => id === who(name).userId));
}

await listReached();
await listNotified();
const made: { word: string; live: CastName[]; notified: CastName[] }[] = [];
const paths: string[] = [];
for (const [at, { make }] of Object.values(KINDS).entries()) {
  const word = `Quetzalword${'abcdefghijklmnop'[at]}`;
  paths.push(...(await make(word)));
  made.push({ word, live: await listReached(), notified: await listNotified() });
}
const texts = new Map<CastName, string>();
for (const name of ALL) texts.set(name, await readAll(name, paths));

for (const [at, [kind, { read, live, notified }]] of Object.entries(KINDS).entries()) {
  test(`[CASE-12, LIVE-2] ${kind} is read, received live, and announced to those who may see it, and to no one else`, () => {
    const { word, ...reached } = made[at] ?? assert.fail(kind);
    const readers = ALL.filter((name) => texts.get(name)?.includes(word));
    const inOrder = (names: CastName[]) => ALL.filter((name) => names.includes(name));
    const expected = { read: inOrder(read), live: inOrder(live), notified: inOrder(notified) };
    assert.deepEqual({ read: readers, ...reached }, expected);
  });
}
