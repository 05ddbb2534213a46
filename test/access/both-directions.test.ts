import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import {
  canAccessCase,
  caseIsVisible,
  explainCaseAccess,
  findCaseAudiences,
  listCases,
  ownCases,
} from '@case-platform/modules/cases';
import { findDisbursement, listDisbursements, requireCaseDisbursements } from '@case-platform/modules/disbursements';
import {
  countUnread,
  countUnreadOfMany,
  findChain,
  findChainAudiences,
  findSnippets,
  listChains,
} from '@case-platform/modules/messaging';
import fc from 'fast-check';
import { findEnded } from '../../modules/live/find-ended.ts';
import { listAnnounced } from '../../modules/messaging/message-recipients.ts';
import { createTestDatabase } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { type Loss, lose, losses, type World, type Written, world, writeWorld } from './random-world.ts';

/**
 * The rules of access are implemented in two directions, each with its own statements: the people who see an object, and the
 * objects that a person sees. Here both are compared with each other and with a model, in many random worlds (CASE-1, CHAIN-2,
 * REQUEST-11).
 */

const { db } = await createTestDatabase();
const WORLDS = 60;
/** This number is smaller, because each world is checked again after every loss. */
const CHAIN_WORLDS = 20;

/** One person of the model. */
type Person = World['people'][number] & { place: number };

function isOwn({ user_type, place, agency }: Person, caseFile: World['cases'][number]): boolean {
  if (user_type === 'admin') return caseFile.specialist === place || caseFile.team.includes(place);
  const isOn = caseFile.participants.some(({ who, left }) => who === place && !left);
  if (user_type !== 'cm' && user_type !== 'owner') return isOn;
  return agency !== null && agency === caseFile.agency && (isOn || user_type === 'owner');
}
const has = (person: Person, permission: World['people'][number]['permissions'][number]) =>
  person.user_type === 'admin' && person.permissions.includes(permission);
const seesCase = (person: Person, caseFile: World['cases'][number]) => isOwn(person, caseFile) || has(person, 'view_all_cases');
/** The world's requests are drafts of its first person. Only the staff of their cases see that they exist (DRAFT-1). */
const seesRequest = (person: Person, caseFile: World['cases'][number]) =>
  person.place === 0 ? seesCase(person, caseFile) : person.user_type === 'admin' && seesCase(person, caseFile);

function seesChain(person: Person, chain: World['chains'][number], { cases, people }: World): boolean {
  const { place } = person;
  if (person.user_type !== 'admin') return chain.members.some(({ who, left }) => who === place && !left);
  const ofCase = chain.of_case === null ? undefined : cases[chain.of_case];
  const started = chain.created_by === place;
  const owner = chain.assigned === null ? undefined : people[chain.assigned];
  const needsOwner = chain.assigned === null || (owner?.user_type === 'admin' && !mayReceive(owner));
  return (
    (started && (ofCase === undefined || seesCase(person, ofCase))) ||
    (chain.assigned === place && !started) ||
    (ofCase !== undefined && isOwn(person, ofCase)) ||
    (needsOwner && has(person, 'reassign_threads'))
  );
}
/** True if an open stream of this person still delivers what they may see. */
const mayReceive = (person: Omit<Person, 'place'>) =>
  person.active && (person.user_type !== 'admin' || person.permissions.includes('view_messages'));

/** Writes each of many worlds, runs the checks on it, and rolls it back. */
async function inManyWorlds(
  check: (tx: Transaction, of: World, written: Written, lost: Loss[]) => Promise<void>,
  numRuns = WORLDS,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(world, losses, async (generated, lost) => {
      const of = structuredClone(generated);
      await undone(db, async (tx) => check(tx, of, await writeWorld(tx, of), lost));
    }),
    { numRuns },
  );
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id).sort((one, other) => one - other);
const everyone = ({ people }: World, written: Written): [Person, User][] =>
  people.map((person, place) => [{ ...person, place }, written.people[place] as User]);
const idsWhere = (written: { id: number }[], holds: (place: number) => boolean) => idsOf(written.filter((_, at) => holds(at)));

/** Selects the cases that each of these people may see, in one statement with the people as rows. */
const pairsOf = (people: User[], condition: Sql) =>
  sql`select c.id, person.id as user_id from case_file c
        cross join (select u.id, u.agency_id from user_account u where u.id = any(${people.map(({ id }) => id)}::bigint[])) person
       where ${condition}`;

test('[CASE-1, CASE-12] the people who see a case, and the cases that a person sees, match', async () => {
  await inManyWorlds(async (tx, of, written) => {
    const live = await findCaseAudiences(tx, idsOf(written.cases));
    for (const [person, user] of everyone(of, written)) {
      const seen = idsWhere(written.cases, (at) => seesCase(person, of.cases[at] as World['cases'][number]));
      const own = idsWhere(written.cases, (at) => isOwn(person, of.cases[at] as World['cases'][number]));
      const inWorld = (rows: { id: number }[]) => idsOf(rows.filter(({ id }) => written.cases.some((one) => one.id === id)));
      assert.deepEqual(inWorld((await listCases(tx, user, { limit: 100 })).data), seen, 'the list');
      assert.deepEqual(
        idsWhere(written.cases, (at) => live.get(written.cases[at]?.id ?? 0)?.includes(user.id) === true),
        seen,
        'live updates',
      );
      assert.deepEqual(inWorld((await listCases(tx, user, { limit: 100, mine: true })).data), own, 'the own ones');
      assert.deepEqual(
        inWorld(await query(tx, sql`select distinct case_id as id from (${ownCases(user)}) own`)),
        own,
        'the set of own ones',
      );
      for (const { id } of written.cases) {
        assert.equal(await canAccessCase(tx, user, id), seen.includes(id), 'the one by its id');
        const reasons = Object.values((await explainCaseAccess(tx, user, id))?.reasons ?? {});
        assert.equal(reasons.includes(true), seen.includes(id), 'the explanation');
      }
      const rows = { id: sql`person.id`, user_type: user.user_type, agency_id: sql`person.agency_id` };
      assert.deepEqual(inWorld(await query(tx, pairsOf([user], caseIsVisible(rows)))), seen, 'for many people at once');
    }
  });
});

test('[REQUEST-11, CASE-12] the people who see the requests of a case, and the requests that a person sees, match', async () => {
  await inManyWorlds(async (tx, of, written) => {
    for (const [person, user] of everyone(of, written)) {
      const seen = written.cases.filter((_, at) => seesRequest(person, of.cases[at] as World['cases'][number]));
      const { data } = await listDisbursements(tx, user, { limit: 100 }, new Date());
      const ours = data.filter(({ id }) => written.cases.some(({ request_id }) => request_id === id));
      assert.deepEqual(
        idsOf(ours),
        seen.map(({ request_id }) => request_id),
        'the list',
      );
      for (const one of written.cases) {
        const disbursement = await findDisbursement(tx, user, one.request_id, new Date());
        const listed = (await listDisbursements(tx, user, { case_id: one.id }, new Date())).data.length;
        const closed = await requireCaseDisbursements(tx, user, one.id).then(
          () => false,
          () => true,
        );
        const sees = seen.includes(one);
        const mayAsk = seesCase(person, of.cases[written.cases.indexOf(one)] as World['cases'][number]);
        assert.deepEqual([disbursement !== null, listed === 1, !closed], [sees, sees, mayAsk]);
      }
    }
  });
});

/**
 * Compares every reader of conversations with the model: list, search, the conversation by its id, live events, unread counts,
 * and notifications.
 */
async function compareChainReaders(tx: Transaction, of: World, written: Written): Promise<void> {
  const ids = written.chains.map(({ id }) => id);
  const audiences = await findChainAudiences(tx, ids);
  const readers = written.people.map((user) => ({ user }));
  const ended = await findEnded(tx, readers);
  const counts = await countUnreadOfMany(tx, written.people);
  const notified: number[][] = [];
  for (const { id } of written.chains) {
    const [message] = await query<{ id: number }>(tx, sql`select last_message_id as id from message_chain where id = ${id}`);
    const [announced] = await listAnnounced(tx, [message?.id ?? 0]);
    notified.push((announced?.recipients ?? []).map((person) => person.id));
  }
  for (const [person, user] of everyone(of, written)) {
    const chainAt = (at: number) => of.chains[at] as World['chains'][number];
    const seen = idsWhere(written.chains, (at) => seesChain(person, chainAt(at), of));
    const listed = (filter: object) => listChains(tx, user, { limit: 100, ...filter });
    assert.deepEqual(idsOf((await listed({})).data), seen, 'the list');
    assert.deepEqual(idsOf((await listed({ q: 'Hello' })).data), seen, 'the search');
    assert.deepEqual([...(await findSnippets(tx, user, ids, 'Hello')).keys()].sort(), [...seen].sort(), 'the snippets');
    const staff = person.user_type === 'admin';
    const unread = idsWhere(
      written.chains,
      (at) => seesChain(person, chainAt(at), of) && (staff || chainAt(at).created_by !== person.place),
    );
    assert.equal((await countUnread(tx, user)).unread_chains, unread.length, 'the unread count');
    assert.deepEqual(counts.get(user.id), await countUnread(tx, user), 'the unread counts of many people');
    const audience = idsWhere(
      written.chains,
      (at) => audiences.get(ids[at] ?? 0)?.[staff ? 'staff' : 'members'].includes(user.id) === true,
    );
    assert.deepEqual(audience, seen, 'the audience');
    assert.equal(
      [...ended].some((reader) => reader.user === user),
      !mayReceive(person),
      'streams that end',
    );
    const isNotified = (at: number) =>
      chainAt(at).created_by !== person.place &&
      mayReceive(person) &&
      seesChain(person, chainAt(at), of) &&
      (!staff || chainAt(at).assigned === person.place);
    assert.deepEqual(
      idsWhere(written.chains, (at) => notified[at]?.includes(user.id) === true),
      idsWhere(written.chains, isNotified),
      'mails and pushes',
    );
    for (const id of ids) assert.equal((await findChain(tx, user, id)) !== null, seen.includes(id), 'the one by its id');
  }
}

test('[CHAIN-2, CASE-12] all readers of conversations agree on who sees which, even while access is removed in any order', async () => {
  await inManyWorlds(async (tx, of, written, lost) => {
    await compareChainReaders(tx, of, written);
    for (const loss of lost) {
      await lose(tx, of, written, loss);
      await compareChainReaders(tx, of, written);
    }
  }, CHAIN_WORLDS);
});
