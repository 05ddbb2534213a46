import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database, Executor } from '@case-platform/lib/database';
import { createLog } from '@case-platform/lib/log';
import { startPublisher } from '@case-platform/lib/outbox/publisher';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { announce, type MessagingContext, replyToChain, startChain } from '@case-platform/modules/messaging';
import { CASE_1, CAST, type CastName } from '../../test/support/cast.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openGate } from '../../test/support/gate.ts';
import { addAudiences } from './find-audiences.ts';
import type { LiveEvent } from './live-event.ts';
import { LiveUpdates } from './live-updates.ts';
import { findPlace } from './missed-messages.ts';

const { db, pool, url } = await createTestDatabase();
const quietLog = createLog('test', 'silent');
const publisher = startPublisher({ db, log: quietLog, complete: addAudiences });
after(() => publisher.stop());
const context = { db } as unknown as MessagingContext;
async function personOf(name: CastName): Promise<User> {
  const { rows } = await pool.query('select id::int from user_account where email_address = $1', [CAST[name].email_address]);
  return (await findActiveUserById(db, rows[0].id)) ?? assert.fail(name);
}
const [parent, surrogate, escrow, root] = await Promise.all((['parent', 'surrogate', 'escrow', 'root'] as const).map(personOf));
if (!parent || !surrogate || !escrow || !root) throw new Error('someone is missing');
const recipients = [{ user_type: surrogate.user_type, user_id: surrogate.id }];
const { chain_id: chainId } = await startChain(context, parent, { case_id: CASE_1, message: 'First', recipients, files: [] });
const write = (message: string) => replyToChain(context, parent, chainId, { message, files: [] });
/** Everyone sees it, so its events show that earlier ones were sent. */
const { chain_id: fence } = await startChain(context, parent, { message: 'Fence', files: [] });

/** Holds the next statement whose text matches until it is let go. */
function holdNext() {
  const state: { pattern: RegExp | null; isHeld: boolean; fails: boolean } = { pattern: null, isHeld: false, fails: false };
  let letGo = () => {};
  const query: Executor['query'] = async (statement) => {
    if (state.pattern?.test(statement.text) === true) {
      if (state.fails) throw new Error('the database is away');
      state.pattern = null;
      state.isHeld = true;
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    }
    return db.query(statement);
  };
  const hold = (pattern: RegExp) => Object.assign(state, { pattern, isHeld: false });
  const untilHeld = () => eventually('the statement is held', () => state.isHeld);
  return {
    query,
    hold,
    untilHeld,
    letGo: () => letGo(),
    fail: (pattern: RegExp) => Object.assign(state, { pattern, fails: true }),
  };
}

function startLive(query: Executor['query'] = db.query, at = url) {
  const live = new LiveUpdates({
    db: { ...db, query } as Database,
    storage: {} as never,
    url: at,
    log: quietLog,
    checkEveryMs: 3_600_000,
  });
  live.start();
  after(() => live.stop());
  return live;
}

function join(live: LiveUpdates, user: User, since?: string, pageAge?: number) {
  const events: LiveEvent[] = [];
  const state = { isClosed: false };
  const leave = live.join(user, { since, pageAge, send: (event) => events.push(event), close: () => (state.isClosed = true) });
  const has = (kind: LiveEvent['event']) => eventually(`an event "${kind}"`, () => events.find(({ event }) => event === kind));
  /** Everything that was sent to this reader until now, without the unread count. */
  const upToNow = async () => {
    await announce(db, { kind: 'chain', chain_id: fence, no_longer: [user.id] });
    const isFence = ({ event, data }: LiveEvent) => event === 'chain' && (data as { chain_id: number }).chain_id === fence;
    await eventually('the fence', () => events.some(isFence));
    return events.splice(0).filter((event) => event.event !== 'unread' && !isFence(event));
  };
  return { events, state, leave, has, upToNow };
}

async function joinReady(live: LiveUpdates, user: User) {
  const reader = join(live, user);
  await reader.has('unread');
  // Events from before may arrive until now.
  await reader.upToNow();
  reader.events.length = 0;
  return reader;
}

test('[LIVE-5, LIVE-1] each kind of event reaches those whom it concerns, with the place from which a stream can resume', async () => {
  const live = startLive();
  const readers = await Promise.all([parent, surrogate, escrow].map((user) => joinReady(live, user)));
  const [author] = readers;
  for (const { id, first_name: name } of [escrow, root])
    await announce(db, { kind: 'writing', chain_id: chainId, user_id: id, name, writing: 'reply' });
  await announce(db, { kind: 'note', chain_id: chainId });
  await pool.query('select announce_case($1, $2)', [CASE_1, parent.id]);
  await author?.has('case');
  const events = await Promise.all(readers.map(({ upToNow }) => upToNow()));
  assert.deepEqual(
    events.map((some) => some.map(({ event }) => event)),
    [['case'], [], ['writing', 'chain']],
    'a draft is its author’s, and staff are shown what others write',
  );
  const data = { chain_id: chainId, name: root.first_name, writing: 'reply' };
  assert.deepEqual(events[2]?.[0]?.data, data, 'and not their own writing');
  // The place of each reader's own start is before this message.
  await write('Earlier');
  const place = await findPlace(db);
  await write('With a place');
  for (const reader of readers) {
    const { id } = await eventually('both messages', () => reader.events.filter(({ event }) => event === 'message')[1]);
    const [own = 0n, least = 1n] = [id, place].map((text) => BigInt(text.split('-')[1] ?? 0));
    assert.ok(own >= least, `${id} is the place of the message, which is not before ${place}`);
  }
  await live.stop();
});

test('[LIVE-2] an event whose audience is too long for a notification reaches the same people', async () => {
  const live = startLive();
  const readers = await Promise.all([parent, surrogate, escrow].map((user) => joinReady(live, user)));
  const countOf = ({ events }: (typeof readers)[number]) =>
    events.filter(({ event, data }) => event === 'chain' && (data as { chain_id: number }).chain_id === chainId).length;
  const notify = (event: object) => pool.query(`select pg_notify('chain_event', $1)`, [JSON.stringify([event])]);
  const since = await findPlace(db);
  await notify({ kind: 'note', chain_id: chainId, since });
  await notify({ kind: 'chain', chain_id: chainId, since, no_longer: [] });
  await notify({ kind: 'chain', chain_id: chainId, since, audience: [parent.id] });
  await eventually('the last event', () => readers.slice(0, 1).some((reader) => countOf(reader) === 2));
  assert.deepEqual(readers.map(countOf), [2, 1, 2]);
  await live.stop();
});

test('[LIVE-1] when the database has replaced its server and lacks a message, all streams end and catch up', async () => {
  const live = startLive();
  const reader = await joinReady(live, parent);
  const event = { kind: 'message', chain_id: chainId, message_id: 999_999, since: await findPlace(db), audience: [parent.id] };
  await pool.query(`select pg_notify('chain_event', $1)`, [JSON.stringify([event])]);
  await eventually('it is closed', () => reader.state.isClosed);
  await live.stop();
});

test('[LIVE-4] a process without a connection to the database opens no stream before it starts and after it ends', async (t) => {
  const started = t.mock.method(globalThis, 'setInterval');
  const ended = t.mock.method(globalThis, 'clearInterval');
  const live = new LiveUpdates({ db, storage: {} as never, url, log: quietLog });
  assert.throws(() => join(live, parent), { status: 503, retryAfter: 1 });
  live.start();
  const reader = await joinReady(live, parent);
  await live.stop();
  assert.deepEqual([reader.state.isClosed, live.connections], [true, 0]);
  assert.throws(() => join(live, parent), { status: 503, retryAfter: 1 });
  const [check] = started.mock.calls.filter(({ arguments: [, ms] }) => ms === 20_000);
  assert.ok(
    ended.mock.calls.some(({ arguments: [timer] }) => timer !== undefined && timer === check?.result),
    'nor checks anything',
  );
});

test('[LIVE-4, LIVE-3] streams end when the connection is lost, and others begin when it is back', async (t) => {
  const gate = await openGate(url);
  const live = startLive(db.query, gate.url);
  const early = await joinReady(live, parent);
  const now = performance.now.bind(performance);
  // So much later that this process has every change that a new page may not show.
  t.mock.method(performance, 'now', () => now() + 40_000);
  await gate.shut();
  await eventually('it is closed', () => early.state.isClosed);
  const [waiting, leaving] = [join(live, parent, undefined, 0), join(live, surrogate)];
  await pool.query(`update user_account set status = 'deactivated' where id = $1`, [surrogate.id]);
  for (let round = 0; round < 5; round += 1) await pool.query('select');
  assert.deepEqual([waiting.events, live.connections], [[], 2], 'nothing is sent on a stream that could miss something');
  await gate.open();
  await waiting.has('unread');
  await write('After the outage');
  await waiting.has('message');
  assert.deepEqual([leaving.events, leaving.state.isClosed], [[], true]);
  assert.ok(!waiting.events.some(({ event }) => event === 'current'), 'its page may have missed what came during the outage');
  await pool.query(`update user_account set status = 'active' where id = $1`, [surrogate.id]);
  await live.stop();
});

test('[LIVE-3] only the stream of the page whose session has expired ends', async () => {
  const live = startLive();
  await joinReady(live, surrogate);
  const stay = { one: true, other: true };
  const [checked, closed]: [string[], string[]] = [[], []];
  for (const name of ['one', 'other'] as const) {
    const canStay = async () => {
      checked.push(name);
      return stay[name];
    };
    live.join(parent, { send: () => {}, close: () => closed.push(name), canStay });
  }
  const checkAll = async () => {
    checked.length = 0;
    await announce(db, { kind: 'session_end', user_id: parent.id });
    await eventually('both were checked', () => checked.length === 2);
  };
  await checkAll();
  assert.deepEqual([closed, live.connections], [[], 3]);
  stay.one = false;
  await checkAll();
  assert.deepEqual([closed, live.connections], [['one'], 2]);
  await live.stop();
});

test('[LIVE-1] a message that arrives while a reader catches up is sent once', async () => {
  const { query, hold, untilHeld, letGo } = holdNext();
  const live = startLive(query);
  await joinReady(live, escrow);
  const since = await findPlace(db);
  await write('Missed');
  hold(/current_place/);
  const reader = join(live, parent, since);
  await untilHeld();
  await write('Missed and announced');
  const other = await joinReady(live, surrogate);
  await other.upToNow();
  letGo();
  await reader.has('unread');
  // Transactions of other tests can make the place earlier, so that earlier messages are repeated.
  const missed = (events: LiveEvent[]) =>
    events
      .flatMap((event) => (event.event === 'message' ? [event.data.message.message] : []))
      .filter((text) => /^Missed/.test(text));
  assert.deepEqual(missed(reader.events), ['Missed', 'Missed and announced']);
  assert.deepEqual(missed(await reader.upToNow()), ['Missed', 'Missed and announced']);
  await live.stop();
});

/** The number of times that a message was sent to a reader until now. */
async function timesSent({ upToNow }: Awaited<ReturnType<typeof joinReady>>, messageId: number): Promise<number> {
  const events = await upToNow();
  return events.filter((event) => event.event === 'message' && event.data.message.id === messageId).length;
}

test('[LIVE-1] a message that is announced after a reader has caught up with it is sent once', async () => {
  const earlier = startLive();
  const other = await joinReady(earlier, escrow);
  const since = await findPlace(db);
  const { message_id } = await write('Announced late');
  await other.has('message');
  await earlier.stop();
  // This process has not received it before.
  const live = startLive();
  const reader = join(live, parent, since);
  await reader.has('unread');
  await announce(db, { kind: 'message', chain_id: chainId, message_id });
  assert.equal(await timesSent(reader, message_id), 1);
  await live.stop();
});

test('[LIVE-1, SCALE-1] a message that is published again after its publisher died is sent once', async () => {
  const live = startLive();
  const reader = await joinReady(live, parent);
  const { message_id } = await write('Published twice');
  await reader.has('message');
  await announce(db, { kind: 'message', chain_id: chainId, message_id });
  assert.equal(await timesSent(reader, message_id), 1);
  await live.stop();
});

test('[LIVE-1] what is announced while unread messages are counted is sent without waiting for more', async () => {
  const { query, hold, untilHeld, letGo } = holdNext();
  const live = startLive(query);
  const reader = await joinReady(live, parent);
  // Another process receives announcements at the same time.
  const other = startLive();
  const elsewhere = await joinReady(other, parent);
  hold(/unread_chains/);
  await write('Counted');
  await untilHeld();
  await announce(db, { kind: 'chain', chain_id: chainId });
  await elsewhere.has('chain');
  letGo();
  await reader.has('chain');
  await live.stop();
  await other.stop();
});

test('[LIVE-2] a reader who leaves while their unread messages are counted gets nothing more', async () => {
  const { query, hold, untilHeld, letGo } = holdNext();
  const live = startLive(query);
  hold(/unread_chains/);
  const leaving = join(live, surrogate);
  await untilHeld();
  leaving.leave();
  // Events from before may have arrived until now.
  leaving.events.length = 0;
  letGo();
  await joinReady(live, parent);
  assert.deepEqual(leaving.events, []);
  await live.stop();
});

test('[LIVE-3] when it cannot be checked whether a session has ended, all streams end and are opened again', async () => {
  const { query, fail } = holdNext();
  const live = startLive(query);
  const readers = await Promise.all([parent, escrow].map((user) => joinReady(live, user)));
  fail(/ended_web_session/);
  await announce(db, { kind: 'session_end', user_id: parent.id });
  await eventually('they are closed', () => readers.every(({ state }) => state.isClosed));
  assert.equal(live.connections, 0);
  await live.stop();
});

test('[LIVE-9] readers who come back together share each statement, and nobody can come while 1,000 wait', async () => {
  const statements: string[] = [];
  const live = startLive((statement) => {
    statements.push(statement.text);
    return db.query(statement);
  });
  const open = await joinReady(live, escrow);
  const since = await findPlace(db);
  await write('Missed by many');
  await open.has('message');
  await open.has('unread');
  statements.length = 0;
  const readers = [parent, surrogate, escrow].flatMap((user) => [1, 2, 3, 4, 5].map(() => join(live, user, since)));
  await Promise.all(readers.map(({ has }) => has('unread')));
  for (const { events } of readers) assert.deepEqual([...new Set(events.map(({ event }) => event))], ['message', 'unread']);
  for (const shared of [/current_place/, /m.written_in >=/, /unread_chains/])
    assert.equal(statements.filter((text) => shared.test(text)).length, 1, String(shared));
  const stranger = (n: number) => join(live, { ...parent, id: 1_000_000 + n });
  for (let n = 0; n < 1000; n += 1) stranger(n);
  assert.throws(
    () => stranger(1000),
    ({ status, retryAfter }) => status === 503 && retryAfter >= 1 && retryAfter <= 5,
  );
  await eventually('those without an account are closed', () => live.connections === readers.length + 1);
  await live.stop();
});

test('[LIVE-8] a page that was just requested gets what it may have missed, and one that may have missed more is not called current', async (t) => {
  const now = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => now() + passed);
  const live = startLive();
  const late = join(live, parent);
  await late.has('unread');
  const open = async (user: User, pageAge: number, since?: string) => {
    const reader = join(live, user, since, pageAge);
    await reader.has('unread');
    reader.leave();
    return reader.events.map(({ event }) => event);
  };
  assert.deepEqual(await open(parent, 0), ['unread'], 'this process may have missed what came before it was connected');
  passed = 40_000;
  assert.deepEqual(await open(parent, 1000), ['current', 'unread']);
  // Marks as viewed are on no page.
  for (let count = 0; count < 21; count += 1) await announce(db, { kind: 'marks', chain_id: chainId, user_id: parent.id });
  await write('To a page that is being opened');
  await pool.query('select announce_case($1, null)', [CASE_1]);
  await late.has('case');
  await late.has('message');
  assert.deepEqual(await open(parent, 1000), ['current', 'case', 'message', 'unread'], 'the changes of cases first');
  const all = [escrow, root].map((user) => open(user, 1000));
  for (const events of await Promise.all(all)) assert.deepEqual([events[0], events.at(-1)], ['current', 'unread']);
  assert.deepEqual(await open(parent, 30_001), ['unread'], 'an old page is read again');
  assert.ok(!(await open(parent, 0, await findPlace(db))).includes('current'), 'a stream that comes back says where it was');
  passed += 10_000;
  assert.deepEqual(await open(parent, 1000), ['current', 'unread'], 'the page shows it');
  late.events.length = 0;
  for (let count = 0; count < 21; count += 1) await announce(db, { kind: 'chain', chain_id: fence });
  await eventually('all have arrived', () => late.events.filter(({ event }) => event === 'chain').length === 21);
  assert.deepEqual(await open(parent, 1000), ['unread'], 'too many');
  await live.stop();
});
