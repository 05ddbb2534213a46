import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endWebSession, issueTokens, openSession, type User } from '@case-platform/modules/accounts';
import { announce, replyToChain, startChain } from '@case-platform/modules/messaging';
import type { UserType } from '@case-platform/words/user-types';
import { startAdmin } from '../admin/start-admin.ts';
import { EventReader, type ReadEvent } from '../support/event-reader.ts';
import { Client, startApi, TEST_TOKEN_KEYS } from '../support/platform.ts';

/**
 * Every way of losing access while a stream of the API and, for staff, one of the staff application are open. The periodic checks
 * of streams are off, so that only the check before each event can end them.
 */

const NEVER = 3_600_000;
const api = await startApi({ checkEveryMs: NEVER });
const admin = await startAdmin({ database: api, storage: api.storage, checkEveryMs: NEVER });
const root = await admin.as('root');
const rows = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const idOf = async (text: string, ...values: unknown[]): Promise<number> => Number((await rows(text, ...values))[0].id);

let count = 0;
/** Adds an account; staff get a new role with these permissions. */
async function addPerson(user_type: UserType, { agency = null as number | null, permissions = [] as readonly string[] } = {}) {
  count += 1;
  let role = null;
  if (user_type === 'admin') {
    role = await idOf('insert into admin_role (name) values ($1) returning id', `Stream ${count}`);
    await rows('insert into admin_role_permission select $1, unnest($2::text[])', role, permissions);
  }
  const [user] = await rows(
    `insert into user_account (email_address, user_type, first_name, last_name, agency_id, admin_role_id, status)
     values ($1, $2, 'Stream', $3, $4, $5, 'active') returning *`,
    `stream-${count}@demo.test`,
    user_type,
    `Reader ${count}`,
    agency,
    role,
  );
  return user as User;
}
const agency = async () => idOf(`insert into agency (name) values ('Agency ' || gen_random_uuid()) returning id`);
const moveTo = (user: User, agencyId: number) =>
  root.post(`/users/${user.id}`, {
    email_address: user.email_address,
    first_name: user.first_name,
    last_name: user.last_name,
    phone: '',
    agency_id: String(agencyId),
  });

interface Scene {
  user: User;
  caseId: number;
  agencyId: number;
  webSession: string;
  staffSession: string;
  chainId: number;
}

interface Way {
  user_type: UserType;
  permissions?: readonly string[];
  /** How the person sees the conversation. */
  through: 'team' | 'specialist' | 'start' | 'start in team' | 'assignment' | 'queue' | 'group' | 'agency';
  lose: (scene: Scene) => Promise<unknown>;
  /** The streams that end: all of the person's, only that of one session, or none if they may still read other conversations. */
  ends: 'all' | 'api' | 'staff' | 'none';
  /** Events that still arrive, because the person still sees the case. */
  still?: string[];
  /** Whether an open page learns at once that the conversation is no longer theirs. */
  learns?: true;
}

const takePermission = (permission: string) => (scene: Scene) =>
  rows('delete from admin_role_permission where admin_role_id = $1 and permission = $2', scene.user.admin_role_id, permission);
const deactivate = async ({ user }: Scene) => {
  assert.equal((await root.post(`/users/${user.id}/deactivate`)).status, 303);
};
const leaveTeam = async ({ caseId, user }: Scene) => {
  assert.equal((await root.post(`/cases/${caseId}/team/${user.id}/remove`)).status, 303);
};
const leaveCase = async ({ caseId, user }: Scene) => {
  assert.equal((await root.post(`/cases/${caseId}/people/${user.id}/remove`)).status, 303);
};
const replaceSpecialist = async ({ caseId }: Scene) => {
  assert.equal((await root.post(`/cases/${caseId}/escrow-specialist`, { admin_id: '' })).status, 303);
};
const staff = { user_type: 'admin', permissions: ['view_messages'] } as const;

const WAYS: Record<string, Way> = {
  'an admin who is deactivated': { ...staff, through: 'team', lose: deactivate, ends: 'all' },
  'a parent who is deactivated': { user_type: 'ip', through: 'group', lose: deactivate, ends: 'all' },
  'an admin whose role loses view_messages': {
    ...staff,
    through: 'team',
    ends: 'all',
    lose: takePermission('view_messages'),
  },
  'an admin who is given another role': {
    ...staff,
    through: 'team',
    ends: 'all',
    lose: async ({ user }) =>
      rows(
        `with other as (insert into admin_role (name) values ($2) returning id)
         update user_account set admin_role_id = other.id from other where user_account.id = $1`,
        user.id,
        `Another role of ${user.id}`,
      ),
  },
  'an admin who leaves the team': { ...staff, through: 'team', lose: leaveTeam, ends: 'none' },
  'an admin who leaves the team and started it': {
    ...staff,
    through: 'start in team',
    lose: leaveTeam,
    ends: 'none',
    learns: true,
  },
  'a specialist who is replaced': { ...staff, through: 'specialist', lose: replaceSpecialist, ends: 'none' },
  'a specialist who is replaced and started it': {
    ...staff,
    through: 'start',
    lose: replaceSpecialist,
    ends: 'none',
    learns: true,
  },
  'an admin with view_all_cases who started it and loses that': {
    user_type: 'admin',
    permissions: ['view_messages', 'view_all_cases'],
    through: 'start',
    ends: 'none',
    lose: async (scene) => {
      await replaceSpecialist(scene);
      await takePermission('view_all_cases')(scene);
    },
  },
  'an admin from whom it is reassigned': {
    ...staff,
    through: 'assignment',
    ends: 'none',
    learns: true,
    lose: async ({ chainId }) => assert.equal((await root.post(`/messages/${chainId}/assign`, { admin_id: '' })).status, 303),
  },
  'an admin who loses reassign_threads': {
    user_type: 'admin',
    permissions: ['view_messages', 'reassign_threads'],
    through: 'queue',
    ends: 'none',
    lose: takePermission('reassign_threads'),
  },
  'a surrogate who leaves the case': {
    user_type: 'surrogate',
    through: 'group',
    lose: leaveCase,
    ends: 'none',
    learns: true,
  },
  'a parent who is taken out of the conversation': {
    user_type: 'ip',
    through: 'group',
    ends: 'none',
    still: ['case'],
    learns: true,
    lose: async ({ chainId, user }) =>
      assert.equal((await root.post(`/messages/${chainId}/people/${user.id}/remove`)).status, 303),
  },
  'an owner who moves to another agency': {
    user_type: 'owner',
    through: 'agency',
    ends: 'none',
    learns: true,
    lose: async ({ user }) => assert.equal((await moveTo(user, await agency())).status, 303),
  },
  'an owner whose case moves to another agency': {
    user_type: 'owner',
    through: 'agency',
    ends: 'none',
    learns: true,
    lose: async ({ caseId }) => {
      const fields = { name: 'Stream case', agency_id: String(await agency()), approver_id: '' };
      assert.equal((await root.post(`/cases/${caseId}`, fields)).status, 303);
    },
  },
  'a parent whose web session is signed out': {
    user_type: 'ip',
    through: 'group',
    ends: 'api',
    lose: ({ user, webSession }) => endWebSession(api.db, user.id, webSession),
  },
  'a parent whose email address changes': {
    user_type: 'ip',
    through: 'group',
    ends: 'api',
    lose: ({ user }) => rows(`update user_account set email_address = 'new-' || email_address where id = $1`, user.id),
  },
  'an admin who is signed out of the staff application': {
    ...staff,
    through: 'team',
    ends: 'staff',
    lose: ({ user }) => rows('delete from admin_session where user_id = $1', user.id),
  },
};

const rootId = await idOf(`select id from user_account where email_address = 'root@demo.test'`);
const other = (await rows(`select * from user_account where email_address = 'parent@demo.test'`))[0] as User;
const write = (chainId: number, message: string) => replyToChain(api, other, chainId, { message, files: [] });
const IS_PARTICIPANT: readonly UserType[] = ['ip', 'surrogate'];

async function setScene({ user_type, permissions, through }: Way): Promise<Scene> {
  const agencyId = await agency();
  const user = await addPerson(user_type, { agency: user_type === 'owner' ? agencyId : null, permissions });
  const specialist = through === 'specialist' || through === 'start' ? user.id : null;
  const caseId = await idOf(
    `insert into case_file (name, status, agency_id, escrow_specialist_id) values ('Stream case', 'active', $1, $2)
     returning id`,
    agencyId,
    specialist,
  );
  await rows('insert into case_participant (case_id, user_id) values ($1, $2)', caseId, other.id);
  await rows('insert into case_admin (case_id, user_id) values ($1, $2)', caseId, rootId);
  if (IS_PARTICIPANT.includes(user_type))
    await rows('insert into case_participant (case_id, user_id) values ($1, $2)', caseId, user.id);
  if (through === 'team' || through === 'start in team')
    await rows('insert into case_admin (case_id, user_id) values ($1, $2)', caseId, user.id);
  const starts = through === 'start' || through === 'start in team' || through === 'agency';
  const [from, to] = starts ? [user, other] : [other, user];
  const recipients = to.user_type === 'admin' ? [] : [{ user_type: to.user_type, user_id: to.id }];
  const chain = { case_id: caseId, subject: 'Streams', message: 'First', recipients, files: [] };
  const { chain_id: chainId } = await startChain(api, from, chain);
  // The specialist sees it through their case and not as its owner, because they would keep a conversation assigned to them.
  if (through === 'specialist') await rows('update message_chain set assigned_admin_id = $1 where id = $2', rootId, chainId);
  if (through === 'assignment') await rows('update message_chain set assigned_admin_id = $1 where id = $2', user.id, chainId);
  const staffSession = user_type === 'admin' ? await openSession(api.db, user, new Date()) : '';
  return { user, caseId, agencyId, chainId, staffSession, webSession: `web-session-of-${user.id}` };
}

async function openStreams({ webSession, staffSession }: Scene, token: string) {
  const open = async (url: string, headers: Record<string, string>) => {
    const reader = await EventReader.open(url, headers);
    assert.equal(reader.status, 200);
    await reader.next(({ event }) => event === 'unread');
    return reader;
  };
  const headers = { authorization: `Bearer ${token}`, 'x-web-session': webSession };
  const ofApi = await open(`${api.baseUrl}/api/messages/events`, headers);
  if (staffSession === '') return { api: ofApi };
  const ofStaff = await open(`${admin.baseUrl}/messages/events`, { cookie: `case_session=${staffSession}` });
  return { api: ofApi, staff: ofStaff };
}

const { chain_id: fence } = await startChain(api, other, { case_id: 1, message: 'Fence', files: [] });

type Stream = ['api' | 'staff', EventReader];

/** The events of each stream until now, without the person's own unread count, and `end` if it has ended. */
async function readUpToNow(scene: Scene, streams: Stream[]): Promise<Record<string, ReadEvent[]>> {
  const events: Record<string, ReadEvent[]> = { api: [], staff: [] };
  // Changes of cases follow the events of conversations that are sent with them, so the second mark comes after them.
  for (const mark of ['first', 'second']) {
    await announce(api.db, { kind: 'chain', chain_id: fence, no_longer: [scene.user.id] });
    for (const [name, reader] of streams) {
      const isEnded = events[name]?.at(-1)?.event === 'end';
      if (!isEnded) events[name]?.push(...(await readUpToFence(reader, mark)));
    }
  }
  return events;
}

async function readUpToFence(reader: EventReader, mark: string): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  try {
    for (let event = await reader.next(); event.data.chain_id !== fence; event = await reader.next()) events.push(event);
  } catch (error) {
    assert.match(String(error), /has ended/, mark);
    events.push({ event: 'end', id: undefined, data: {} });
  }
  return events.filter(({ event }) => event !== 'unread');
}

describe('[LIVE-2, CHAIN-16] after the transaction that removes access, no event arrives', () => {
  for (const [who, way] of Object.entries(WAYS)) {
    test(who, async () => {
      const scene = await setScene(way);
      const { access_token } = await issueTokens(TEST_TOKEN_KEYS, scene.user, new Date());
      const client = new Client(api.baseUrl, access_token, scene.user.id);
      const streams = Object.entries(await openStreams(scene, access_token)) as Stream[];
      const path = `/api/messages/${scene.chainId}`;
      await write(scene.chainId, 'Before');
      for (const [, reader] of streams)
        assert.equal((await reader.next(({ event }) => event === 'message')).data.chain_id, scene.chainId, 'control');
      assert.equal((await client.get(path)).status, 200, 'control');
      await readUpToNow(scene, streams);

      await way.lose(scene);
      const endsNow = (name: 'api' | 'staff') => way.ends === 'all' || way.ends === name;
      const during = await readUpToNow(scene, streams);
      for (const [name] of streams) {
        const kinds = (during[name] ?? []).map(({ event }) => event);
        // Other streams learn at most that the conversation is no longer in their list.
        const expected = endsNow(name) ? ['end'] : ['chain'];
        assert.deepEqual(
          kinds.filter((kind) => !expected.includes(kind)),
          [],
          `${name}: caused by the loss itself`,
        );
        if (way.learns) assert.ok(kinds.includes('chain'), name);
      }
      await write(scene.chainId, 'After');
      await rows('select announce_case($1, null)', scene.caseId);
      await announce(api.db, { kind: 'note', chain_id: scene.chainId });
      const after = await readUpToNow(scene, streams);
      for (const [name, reader] of streams) {
        const events = (after[name] ?? []).map(({ event }) => event);
        const isOther = way.ends !== 'all' && way.ends !== 'none' && !endsNow(name);
        if (isOther) assert.ok(events.length > 0, `${name}: another session goes on`);
        else assert.deepEqual(events, endsNow(name) ? ['end'] : (way.still ?? []), `${name}: after the loss`);
        reader.close();
      }
      if (way.ends === 'staff') return;
      const answers = await client.call('GET', path, { headers: { 'x-web-session': scene.webSession } });
      assert.ok([401, 403, 404].includes(answers.status), String(answers.status));
      if (way.ends !== 'none') return;
      const list = (await client.get('/api/messages?q=After')).body.data;
      const { unread_count } = (await client.get('/api/messages/unread/count')).body;
      assert.deepEqual([list, unread_count], [[], 0]);
      assert.equal((await client.form(path, { message: 'Still here?' })).status, 404);
      assert.equal((await client.post(`${path}/viewed`, {})).status, 404);
    });
  }
});
