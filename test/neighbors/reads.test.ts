import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@case-platform/lib/database';
import { listDeadJobs } from '@case-platform/lib/jobs/dead-jobs';
import { readQueueDepth } from '@case-platform/lib/jobs/queue-depth';
import { query, sql } from '@case-platform/lib/sql';
import {
  findAgency,
  findPermissions,
  findUser,
  listAgencyKeys,
  listAgencyPeople,
  listOpenSessions,
  listRoleGrants,
  listRoleMembers,
  listRoleNames,
  listRoles,
  listSignIns,
  listStaff,
  listUsers,
} from '@case-platform/modules/accounts';
import { listAudit } from '@case-platform/modules/audit';
import { listCasePeople, listPeopleOfCases } from '@case-platform/modules/cases';
import {
  countDuties,
  countUnassigned,
  countUnread,
  findChain,
  getMessage,
  listCaseActivity,
  listChains,
  listNotes,
  type Message,
  readSharedMessages,
} from '@case-platform/modules/messaging';
import {
  countFailedDeliveries,
  isSharedDevice,
  listDeliveries,
  listDevices,
  listPreferences,
  listSuppressions,
} from '@case-platform/modules/notifications';
import type { Storage } from '@case-platform/modules/storage';
import { findPlace, listMissed } from '../../modules/live/missed-messages.ts';
import { createTestDatabase } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { hashOf, NOW, seedTwins } from './seed-twins.ts';

/** Reading about one of the twins returns their own data, also after a change, and none of the other's (API-8). */

const { db } = await createTestDatabase();
const twins = await db.transaction(seedTwins);
const { people, id } = twins;
const { ann, ben, ada, bob, eve } = people;
const talk = id('message_chain', 'Talk');

/** Signs addresses of files, which contain the time. */
const STORE = {
  settings: { bucket: 'none', endpoint: 'http://localhost', region: 'x', accessKeyId: 'x', secretAccessKey: 'x' },
} as Storage;
const withoutAddresses = (message?: Message) => ({
  ...message,
  files: message?.files.map(({ url: _url, url_expires_at: _until, ...file }) => file),
});

interface Read {
  name: string;
  /** Statements that change the usual state before anything is read. */
  after?: [text: string, ...values: (string | number | Date | Buffer)[]][];
  read: (tx: Transaction) => Promise<unknown>;
  expected: unknown;
}

const READS: Read[] = [
  ...['closed', 'cancelled'].map((ended) => ({
    name: `the duties of a member of staff: open conversations and cases that are not ${ended}`,
    after: [
      [`update message_chain set status = 'closed' where id = $1`, talk],
      [
        'update case_file set escrow_specialist_id = $1 where id in ($2, $3)',
        ...([ada.id, id('case_file', 'One'), id('case_file', 'Two')] as const),
      ],
      ['update case_file set status = $1 where id = $2', ended, id('case_file', 'Two')],
    ] satisfies Read['after'],
    read: (tx: Transaction) => countDuties(tx, ada.id),
    expected: { open_chains: 2, open_cases: 1 },
  })),
  ...(
    [
      ['without an owner', 'update message_chain set assigned_admin_id = null where created_by = $1'],
      ['whose owner was deactivated', `update user_account set status = 'deactivated' where id = $1`],
    ] as const
  ).map(([which, change]) => ({
    name: `the conversations ${which}, except closed ones`,
    after: [
      [change, ada.id],
      [`update message_chain set status = 'closed' where id = $1`, talk],
    ] satisfies Read['after'],
    read: (tx: Transaction) => countUnassigned(tx),
    expected: 2,
  })),
  {
    name: 'the people of a conversation that someone left',
    after: [['update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', talk, ben.id]],
    read: async (tx) => (await findChain(tx, ann, talk))?.participants.map(({ name }) => name),
    expected: ['Ann Twin', 'Ada Twin'],
  },
  {
    name: 'the unread messages of someone who read one conversation',
    after: [['update message_recipient set viewed = now() where chain_id = $1 and user_id = $2', talk, ann.id]],
    read: async (tx) => [await countUnread(tx, ann), await countUnread(tx, ben), await countUnread(tx, ada)],
    expected: [
      { unread_count: 4, unread_chains: 2 },
      { unread_count: 6, unread_chains: 3 },
      { unread_count: 6, unread_chains: 3 },
    ],
  },
  {
    name: 'the unread messages of a case',
    after: [
      ['update message_recipient set viewed = now() where chain_id = $1 and user_id = $2', talk, ann.id],
      ['update message_chain set last_message_at = $1 where id = $2', NOW, talk],
    ],
    read: async (tx) => {
      const cases = [id('case_file', 'One'), id('case_file', 'Two')];
      const activity = await listCaseActivity(tx, ann, cases);
      return cases.map((of) => [activity.get(of)?.unread_count, activity.get(of)?.last_message_at.getTime() === NOW.getTime()]);
    },
    expected: [
      [2, true],
      [2, false],
    ],
  },
  {
    name: 'the unread conversations of one reader',
    after: [['update message_recipient set viewed = now() where chain_id = $1 and user_id = $2', talk, ann.id]],
    read: async (tx) => {
      const subjects = async (unread: boolean) => (await listChains(tx, ann, { unread })).data.map(({ subject }) => subject);
      return [await subjects(true), await subjects(false)];
    },
    expected: [['Elsewhere', 'Aside'], ['Talk']],
  },
  {
    name: 'the first 140 characters of the last message of a conversation',
    after: [[`update message set message = repeat('é', 150) where id = $1`, id('message', 'Talk-Ada')]],
    read: async (tx) => (await findChain(tx, ann, talk))?.last_message.preview,
    expected: 'é'.repeat(140),
  },
  {
    name: 'the messages that a reader missed since a place, which is that of the first of them',
    after: [
      [
        `insert into message (chain_id, from_id, from_type, to_admin, message)
         select id, $1, 'admin', false, 'Missed' from message_chain where id in ($2, $3)`,
        ...([ada.id, talk, id('message_chain', 'Crowd')] as const),
      ],
    ],
    read: async (tx) => {
      const reader = { user: ann, since: await findPlace(tx) };
      const missed = (await listMissed(tx, [reader])).get(reader);
      // Transactions of other tests can make the place earlier, so that earlier messages are repeated.
      const written = await query<{ id: number }>(tx, sql`select id from message where message = 'Missed'`);
      const ids = written.map(({ id }) => id);
      return missed?.filter(({ message_id }) => ids.includes(message_id)).map(({ chain_id }) => chain_id);
    },
    expected: [talk],
  },
  {
    name: 'whether a reader can be sent what was written since a place: of this database, in its past, and not too much',
    read: async (tx) => {
      const place = await findPlace(tx);
      const [mark = '', number = ''] = place.split('-');
      const elsewhere = (Number.parseInt(mark, 16) ^ 1) >>> 0;
      const write = (count: number) =>
        tx.query({
          text: `insert into message (chain_id, from_id, from_type, to_admin, message)
                 select $1, $2, 'admin', false, 'Missed' from generate_series(1, $3::int)`,
          values: [talk, ada.id, count],
        });
      const canResume = async (since?: string) => {
        const reader = { user: ann, since };
        return (await listMissed(tx, [reader])).has(reader);
      };
      const places = [
        `${elsewhere.toString(16).padStart(8, '0')}-${number}`,
        `${mark}-${BigInt(number) + 1_000_000n}`,
        undefined,
      ];
      const resumed = [await canResume(place)];
      for (const other of places) resumed.push(await canResume(other));
      await write(900);
      resumed.push(await canResume(place));
      await write(101);
      resumed.push(await canResume(place));
      return resumed;
    },
    expected: [true, false, false, false, true, false],
  },
  {
    name: 'the notes of one conversation, the newest last',
    after: [
      ['insert into chain_note (chain_id, author_id, note) values ($1, $2, $3)', talk, bob.id, 'A second note'],
      ['update chain_note set note = $1 where chain_id <> $2', 'Elsewhere', talk],
    ],
    read: async (tx) => (await listNotes(tx, ada, talk)).map(({ author_name, note }) => `${author_name}: ${note}`),
    expected: ['Ada Twin: A note', 'Bob Twin: A second note'],
  },
  {
    name: 'the devices of one person, and which of them is calling',
    after: [['update push_subscription set renew_since = now() where id = $1', id('push_subscription', 'Ann-desk')]],
    read: async (tx) => {
      const devices = await listDevices(tx, ann, hashOf('http://127.0.0.1/Ann-phone').toString('hex').toUpperCase());
      return devices.map(({ user_agent, needs_renewal, current }) => [user_agent, needs_renewal, current]);
    },
    expected: [
      ['phone', false, true],
      ['desk', true, false],
    ],
  },
  {
    name: 'a device of another person is not shared',
    read: (tx) => isSharedDevice(tx, ann, hashOf('http://127.0.0.1/Ben-phone').toString('hex')),
    expected: false,
  },
  {
    name: 'the sign-ins of one person, the newest first',
    after: [[`insert into sign_in (user_id, layer, signed_in_at) values ($1, 'admin', $2)`, ann.id, NOW]],
    read: async (tx) => {
      const [listed] = (await listUsers(tx, { q: 'Ann' })).data;
      return [(await listSignIns(tx, ann.id)).map(({ layer }) => layer), listed?.last_sign_in_at];
    },
    expected: [['admin', 'api'], NOW],
  },
  {
    name: 'the history of several records of a person, the newest first, in pages',
    after: [
      [
        `insert into audit_entry (actor_id, actor_type, layer, action, subject_label, happened_at)
         select actor, 'surrogate', 'api', 'twin.act', label, $3::timestamptz - day * interval '1 day'
           from (values ($1::bigint, 'today', 0), ($2::bigint, 'long ago', 9), ($1, 'yesterday', 1)) entry (actor, label, day)`,
        ...([ann.id, ben.id, NOW] as const),
      ],
    ],
    read: async (tx) => {
      const labels: (string | undefined)[] = [];
      for (let before: number | null | undefined; before !== null && labels.length < 9; ) {
        const { data, next_before } = await listAudit(tx, { actor_ids: [ann.id, ben.id], limit: 1, before });
        labels.push(data[0]?.subject_label);
        before = next_before;
      }
      return labels;
    },
    expected: ['today', 'yesterday', 'long ago'],
  },
  {
    name: 'the notifications that one person turned off, by channel',
    after: [[`update notification_preference set enabled = true where user_id = $1 and channel = 'push'`, ann.id]],
    read: async (tx) => {
      const off = async (person: typeof ann) =>
        (await listPreferences(tx, person)).flatMap(({ event, channels }) =>
          channels.flatMap(({ channel, enabled }) => (enabled ? [] : `${event} ${channel}`)),
        );
      return [await off(ann), await off(ben)];
    },
    expected: [['new_message email'], ['new_message email', 'new_message push']],
  },
  {
    name: 'an agency with a key that was revoked and a person who was deactivated',
    after: [
      ['update agency_api_key set revoked_at = now(), last_used_at = $2 where id = $1', id('agency_api_key', 'Alder-one'), NOW],
      [`update user_account set user_type = 'cm', agency_id = $1 where id = $2`, id('agency', 'Alder'), ann.id],
      [
        `update user_account set user_type = 'cm', agency_id = $1, status = 'deactivated' where id = $2`,
        id('agency', 'Alder'),
        ben.id,
      ],
    ],
    read: async (tx) => {
      const agencies = [await findAgency(tx, id('agency', 'Alder')), await findAgency(tx, id('agency', 'Birch'))];
      return [
        agencies.map((agency) => [agency?.name, agency?.live_keys, agency?.people, agency?.last_used_at]),
        (await listAgencyKeys(tx, id('agency', 'Alder'))).map(({ revoked_at }) => revoked_at !== null),
        (await listAgencyPeople(tx, id('agency', 'Alder'))).map(({ first_name }) => first_name),
      ];
    },
    expected: [
      [
        ['Alder', 1, 1, NOW],
        ['Birch', 2, 0, null],
      ],
      [false, true],
      ['Ann'],
    ],
  },
  {
    name: 'the people of an agency, its owners first, by name',
    after: (
      [
        ['cm', 'Ann', ann.id],
        ['owner', 'Bea', ben.id],
        ['owner', 'Abe', ada.id],
      ] as const
    ).map(([user_type, first_name, person]) => [
      'update user_account set user_type = $1, first_name = $2, agency_id = $3, admin_role_id = null where id = $4',
      user_type,
      first_name,
      id('agency', 'Alder'),
      person,
    ]),
    read: async (tx) => (await listAgencyPeople(tx, id('agency', 'Alder'))).map(({ first_name }) => first_name),
    expected: ['Abe', 'Bea', 'Ann'],
  },
  {
    name: 'people whose rows the previous release wrote, by their name, and by their address only for those who may see it',
    after: [
      [
        `update user_account set search = to_tsvector('simple', first_name || ' ' || last_name || ' ' || email_address), search_version = 1
          where id in ($1, $2)`,
        ...([ann.id, ada.id] as const),
      ],
    ],
    read: async (tx) => {
      const found = async (q: string, byAddress: boolean) =>
        (await listUsers(tx, { q, byAddress })).data.map(({ first_name }) => first_name);
      const all: string[][] = [];
      for (const q of ['ann', 'twin', 'ann@twins.test'])
        for (const byAddress of [false, true]) all.push(await found(q, byAddress));
      return all;
    },
    expected: [['Ann'], ['Ann'], ['Eve', 'Bob', 'Ada', 'Ben', 'Ann'], ['Eve', 'Bob', 'Ada', 'Ben', 'Ann'], [], ['Ann']],
  },
  {
    name: 'roles by name, and what waits for a second administrator, the oldest first',
    read: async (tx) => {
      const names = (await listRoleNames(tx)).map(({ name }) => name);
      const byName = names.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
      const grants = await listRoleGrants(tx, ada);
      return [isDeepStrictEqual(names, byName), grants.map(({ user_name, role_name }) => user_name ?? role_name)];
    },
    expected: [true, ['Ada Twin', 'Bob Twin', 'Desk of the twins', 'Till of the twins']],
  },
  {
    name: 'the record of a person: sessions, devices, and an invitation that is open',
    after: [
      [`update user_account set status = 'invited' where id = $1`, ann.id],
      // Ben has set a password meanwhile.
      [`update password_reset set purpose = 'invitation' where user_id in ($1, $2)`, ...([ann.id, ben.id] as const)],
      [
        `insert into password_reset (user_id, token_hash, purpose, created_at, expires_at, used_at) values ($1, $2, 'invitation', $3, $3, $3)`,
        ...([ann.id, hashOf('used'), new Date(NOW.getTime() + 1000)] as const),
      ],
    ],
    read: async (tx) => {
      const record = await findUser(tx, ann.id);
      const other = await findUser(tx, ben.id);
      return [record?.open_sessions, record?.devices, record?.invited_at, other?.invited_at];
    },
    expected: [2, 2, NOW, null],
  },
  {
    name: 'the open sessions of one member of staff, the one that asks first',
    after: [
      [
        'update admin_session set last_active_at = last_active_at + $1::interval where id_hash = $2',
        '1 second',
        hashOf('Ada desk'),
      ],
    ],
    read: async (tx) => {
      const options = { currentId: 'Ada phone', idleSeconds: 3600 };
      const sessions = await listOpenSessions(tx, ada.id, options, new Date(NOW.getTime() + 2000));
      return sessions.map(({ current }) => current);
    },
    expected: [true, false],
  },
  {
    name: 'the rights of a role that was taken from one person',
    after: [['update user_account set admin_role_id = $1 where id = $2', id('admin_role', 'Till'), ada.id]],
    read: async (tx) => {
      await tx.query({
        text: `delete from admin_role_permission where admin_role_id = $1 and permission = 'view_messages'`,
        values: [id('admin_role', 'Till')],
      });
      const holds = async (person: typeof ada) => (await findPermissions(tx, person.id)).has('view_messages');
      const staff = (await listStaff(tx)).filter(({ name }) => name.endsWith(' Twin'));
      return [
        [await holds(ada), await holds(bob)],
        staff.map(({ name, may_answer }) => `${name} ${may_answer}`),
        (await listRoleMembers(tx, id('admin_role', 'Desk'))).map(({ first_name }) => first_name),
        (await listRoles(tx)).filter(({ name }) => name.endsWith('of the twins')).map((role) => [role.people, role.permissions]),
      ];
    },
    expected: [
      [false, true],
      ['Ada Twin false', 'Bob Twin true', 'Eve Twin true'],
      ['Bob', 'Eve'],
      [
        [2, 4],
        [1, 3],
      ],
    ],
  },
  ...(
    [
      [
        'left',
        'update case_participant set left_at = now() where case_id = $1 and user_id = $2',
        ['Ann Twin'],
        ['Ann Twin', 'Ben Twin'],
      ],
      ['was deactivated', `update user_account set status = 'deactivated' where $1 > 0 and id = $2`, ['Ann Twin'], ['Ann Twin']],
    ] as const
  ).map(([what, change, one, two]) => ({
    name: `the people of a case that someone is on who ${what}`,
    after: [[change, id('case_file', 'One'), ben.id]] satisfies Read['after'],
    read: async (tx: Transaction) => {
      const names = async (name: string) => {
        const listed = (await listCasePeople(tx, id('case_file', name))).map((person) => person.name);
        const inShort = await listPeopleOfCases(tx, [id('case_file', 'One'), id('case_file', 'Two')]);
        assert.deepEqual(inShort.get(id('case_file', name))?.names, listed);
        return listed;
      };
      return [await names('One'), await names('Two')];
    },
    expected: [one, two],
  })),
  ...(
    [
      ['is active', `update user_account set status = 'active' where id = $1`, true],
      ['was deactivated', `update user_account set status = 'deactivated' where id = $1`, false],
      ['is no longer staff', `update user_account set user_type = 'ip', admin_role_id = null where id = $1`, false],
      ['has a role without that right', 'update user_account set admin_role_id = $2 where id = $1', false],
    ] as const
  ).map(([what, change, expected]) => ({
    name: `whether a role grant has another person to confirm it, when the only one ${what}`,
    after: [
      [`insert into admin_role_permission (admin_role_id, permission) values ($1, 'manage_roles')`, id('admin_role', 'Desk')],
      [
        `update user_account set status = 'deactivated' where user_type = 'admin' and id not in ($1, $2, $3)`,
        ...([ada.id, bob.id, eve.id] as const),
      ],
      [change, eve.id, ...(change.includes('$2') ? [id('admin_role', 'Till')] : [])],
    ] satisfies Read['after'],
    read: async (tx: Transaction) => (await listRoleGrants(tx, ada, { user_id: bob.id })).map(({ has_second }) => has_second),
    expected: [expected],
  })),
  {
    name: 'the people who have a role, those who were deactivated last',
    after: [[`update user_account set status = 'deactivated' where id = $1`, ada.id]],
    read: async (tx) => (await listRoleMembers(tx, id('admin_role', 'Desk'))).map(({ first_name }) => first_name),
    expected: ['Bob', 'Eve', 'Ada'],
  },
  {
    name: 'messages that are read for many people at once, as each of them reads them alone',
    after: [
      [
        `update message set client_key = 'key of message ' || id where chain_id in ($1, $2)`,
        ...([talk, id('message_chain', 'Crowd')] as const),
      ],
      ['update message_recipient set viewed = created_at from message m where m.id = message_id and user_id = $1', ben.id],
      ['update message set retracted_at = now() where id = $1', id('message', 'Talk-Ben')],
    ],
    read: async (tx) => {
      const context = { db: tx, storage: STORE };
      const messages = ['Talk-Ann', 'Talk-Ben', 'Talk-Ada', 'from ip in', 'from admin lead'].map((name) => id('message', name));
      const readers = [...Object.values(people), ...['ip in', 'admin lead', 'cm in'].map((name) => twins.crowd.get(name) ?? ann)];
      const readings = messages.flatMap((message_id) => readers.map((user) => ({ message_id, user })));
      const shared = await readSharedMessages(context, readings);
      const differ: unknown[] = [];
      for (const { user, message_id } of readings) {
        const alone = await getMessage(context, user, message_id);
        if (!isDeepStrictEqual(withoutAddresses(shared.of(user.id, message_id)), withoutAddresses(alone)))
          differ.push([user.first_name, alone]);
      }
      return differ;
    },
    expected: [],
  },
  {
    name: 'staff to choose from, without those who were deactivated',
    after: [[`update user_account set status = 'deactivated' where id = $1`, ada.id]],
    read: async (tx) => (await listStaff(tx)).map(({ name }) => name).filter((name) => name.endsWith(' Twin')),
    expected: ['Bob Twin', 'Eve Twin'],
  },
  {
    name: 'deliveries by person, channel, state, and event',
    after: [[`update delivery set event = 'payment_arrived' where id = $1`, id('delivery', 'Ann-push-failed')]],
    read: async (tx) => {
      const count = async (filter: Parameters<typeof listDeliveries>[1]) =>
        (await listDeliveries(tx, { user_id: ann.id, ...filter })).data.length;
      return [
        await count({}),
        await count({ channel: 'sms' }),
        await count({ state: 'failed' }),
        await count({ event: 'payment_arrived' }),
        await count({ channel: 'sms', state: 'failed' }),
        await count({ before: id('delivery', 'Ann-sms-queued') }),
        await countFailedDeliveries(tx),
        (await listDeliveries(tx, { person: 'Twin', limit: 2 })).data.map((delivery) => delivery.user_id),
      ];
    },
    expected: [6, 2, 3, 1, 1, 2, 15, [eve.id, eve.id]],
  },
  {
    name: 'what is blocked, the newest first, in pages',
    read: async (tx) => {
      const first = await listSuppressions(tx);
      const rest = await listSuppressions(tx, { before: id('suppression', 'Ada-email') });
      return [first.data[0]?.address, first.data.length, rest.data.map(({ address }) => address)];
    },
    expected: ['+12025550165', 10, ['+12025550162', 'ben@twins.test', '+12025550161', 'ann@twins.test']],
  },
  {
    name: 'jobs that wait, run, are due later, and gave up',
    after: [
      [`select graphile_worker.add_job('of twins', max_attempts := 2) from generate_series(1, $1::int)`, 5],
      [`select graphile_worker.add_job('of twins', run_at := now() + interval '1 hour') from generate_series(1, $1::int)`, 2],
      [
        `update graphile_worker._private_jobs set attempts = max_attempts where id in (
           select id from graphile_worker._private_jobs where max_attempts = $1 order by id limit 3)`,
        2,
      ],
      [
        `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'x' where id in (
           select id from graphile_worker._private_jobs where attempts = $1 order by id limit 1)`,
        2,
      ],
    ],
    read: async (tx) => {
      const depth = (await readQueueDepth(tx)).find(({ task }) => task === 'of twins');
      return [depth?.waiting, depth?.dead, (await listDeadJobs(tx)).map(({ task }) => task)];
    },
    expected: [2, 2, ['of twins', 'of twins']],
  },
];

for (const { name, after = [], read, expected } of READS)
  test(`[API-8] ${name}`, async () => {
    const result = await undone(db, async (tx) => {
      for (const [text, ...values] of after) await tx.query({ text, values });
      return read(tx);
    });
    assert.deepEqual(result, expected);
  });
