import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Executor } from '@case-platform/lib/database';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { LiveUpdates } from '@case-platform/modules/live';
import { leaveChainsOfCase, removeFromChain } from '@case-platform/modules/messaging';
import type { ServerEvent } from '../../../apps/web/live/event-parser.ts';
import { followEvents } from '../../../apps/web/live/follow-events.ts';
import { CASE_1 } from '../../support/cast.ts';
import { EventReader } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { grant } from '../../support/grant.ts';
import { type Client, quietLog, startApi } from '../../support/platform.ts';

const api = await startApi();
await grant(api.pool, 'viewer', 'view_messages');
const { parent, surrogate, escrow, viewer, bothSurrogate: stranger } = await api.everyone();

async function listen(who: Client, lastEventId?: string): Promise<EventReader> {
  const reader = await EventReader.open(`${api.baseUrl}/api/messages/events`, {
    authorization: `Bearer ${who.token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });
  assert.equal(reader.status, 200);
  return reader;
}

/** Opens a stream and waits until it is caught up and has sent the unread count. */
async function listenReady(who: Client): Promise<EventReader> {
  const reader = await listen(who);
  await reader.next(({ event }) => event === 'unread');
  return reader;
}

const isMessage = (text: string) => (event: { event: string; data: { message?: { message: string } } }) =>
  event.event === 'message' && event.data.message?.message === text;

async function start(who: Client, message: string, to?: Client): Promise<{ chainId: number; messageId: number }> {
  const recipients = to === undefined ? {} : { recipients: JSON.stringify([{ user_type: 'surrogate', user_id: to.userId }]) };
  const { status, body } = await who.form('/api/messages', { message, case_id: String(CASE_1), ...recipients });
  assert.equal(status, 201, JSON.stringify(body));
  return { chainId: body.chain.id, messageId: body.message.id };
}

describe('[LIVE-1] GET /api/messages/events', { timeout: 60_000 }, () => {
  test('a new message reaches only those who see its conversation, as they see it', async () => {
    const [ofSurrogate, ofEscrow, ofViewer, ofStranger] = await Promise.all(
      [surrogate, escrow, viewer, stranger].map(listenReady),
    );
    const { chainId } = await start(parent, 'To the surrogate', surrogate);
    const event = await ofSurrogate?.next(isMessage('To the surrogate'));
    assert.equal(event?.data.chain_id, chainId);
    assert.equal(event?.data.message.viewed, null);
    assert.equal(event?.data.message.from_type, 'intended_parent');
    assert.ok(await ofEscrow?.next(isMessage('To the surrogate')));
    // The first event of the others must be about their own conversation. An event about this one would have come before it.
    const { chainId: own } = await start(stranger, 'Of my own', undefined).catch(() => ({ chainId: 0 }));
    assert.equal(own, 0, 'case 1 is not theirs');
    const theirs = await stranger.form('/api/messages', { message: 'Of my own case' });
    assert.equal(theirs.status, 201);
    const first = await ofStranger?.next(({ event }) => event === 'message');
    assert.equal(first?.data.message.message, 'Of my own case');
    await api.pool.query('update message_chain set assigned_admin_id = $1 where id = $2', [viewer.userId, theirs.body.chain.id]);
    await stranger.form(`/api/messages/${theirs.body.chain.id}`, { message: 'Now for you' });
    const ofColleague = await ofViewer?.next(({ event }) => event === 'message');
    assert.equal(ofColleague?.data.message.message, 'Now for you', 'staff who do not see the case');
    for (const reader of [ofSurrogate, ofEscrow, ofViewer, ofStranger]) reader?.close();
  });

  test('[MESSAGE-5] only the sender sees the key of a message', async () => {
    const { chainId } = await start(parent, 'Before the key', surrogate);
    const [ofParent, ofSurrogate, ofEscrow] = await Promise.all([parent, surrogate, escrow].map(listenReady));
    const key = { 'idempotency-key': 'told-live' };
    await parent.form(`/api/messages/${chainId}`, { message: 'With a key' }, [], key);
    const keys = [];
    for (const reader of [ofParent, ofSurrogate, ofEscrow])
      keys.push((await reader?.next(isMessage('With a key')))?.data.message.client_key);
    assert.deepEqual(keys, ['told-live', null, null]);
    for (const reader of [ofParent, ofSurrogate, ofEscrow]) reader?.close();
  });

  test('[LIVE-3] a stream of staff ends when their role no longer lets them read messages', async () => {
    await grant(api.pool, 'finance', 'view_messages');
    const [reader, ofEscrow] = [await listenReady(await api.as('finance')), await listenReady(escrow)];
    await api.pool.query(
      `delete from admin_role_permission g using admin_role r
        where r.id = g.admin_role_id and r.name = 'Finance' and g.permission = 'view_messages'`,
    );
    await reader.ended();
    await start(parent, 'To those who may still read', surrogate);
    assert.ok(await ofEscrow.next(isMessage('To those who may still read')), 'other streams go on');
    ofEscrow.close();
  });

  test('the unread count follows: a message adds to it, viewing reduces it, in another tab too', async () => {
    const [here, there] = await Promise.all([listenReady(surrogate), listenReady(surrogate)]);
    const before = (await surrogate.get('/api/messages/unread/count')).body.unread_count;
    const { chainId } = await start(parent, 'Counted', surrogate);
    for (const tab of [here, there]) {
      const { data } = await tab.next(({ event, data }) => event === 'unread' && data.unread_count === before + 1);
      assert.equal(typeof data.unread_chains, 'number');
    }
    await surrogate.post(`/api/messages/${chainId}/viewed`, {});
    for (const tab of [here, there]) {
      assert.ok(await tab.next(({ event, data }) => event === 'unread' && data.unread_count === before));
    }
    here.close();
    there.close();
  });

  test('what staff have read is announced to staff, and not to the people of the conversation', async () => {
    const [ofParent, ofEscrow] = [await listenReady(parent), await listenReady(escrow)];
    const { chainId } = await start(parent, 'Read by staff', surrogate);
    for (const reader of [ofParent, ofEscrow]) {
      await reader.next(isMessage('Read by staff'));
      await reader.next(({ event }) => event === 'unread');
    }
    await escrow.post(`/api/messages/${chainId}/viewed`, {});
    await ofEscrow.next(({ event }) => event === 'unread');
    await surrogate.form(`/api/messages/${chainId}`, { message: 'The next thing that happens' });
    assert.equal((await ofParent.next()).event, 'message');
    for (const reader of [ofParent, ofEscrow]) reader.close();
  });

  test('a client that returns with Last-Event-ID gets what was written meanwhile, in order, without a gap', async () => {
    const first = await listenReady(surrogate);
    const { chainId } = await start(parent, 'Before the tunnel', surrogate);
    await first.next(isMessage('Before the tunnel'));
    first.close();
    const texts = Array.from({ length: 20 }, (_, at) => `In the tunnel ${at}`);
    for (const message of texts) await parent.form(`/api/messages/${chainId}`, { message });
    const again = await listen(surrogate, first.lastId);
    const seen: string[] = [];
    while (seen.length < texts.length) {
      const { data } = await again.next(({ event }) => event === 'message');
      if (data.message.message.startsWith('In the tunnel') && !seen.includes(data.message.message))
        seen.push(data.message.message);
    }
    assert.deepEqual(seen, texts);
    again.close();
  });

  test('a client that was away gets a message whose transaction began before and ended after a later one', async () => {
    const reader = await listenReady(surrogate);
    const { chainId } = await start(parent, 'A chain', surrogate);
    const { chainId: other } = await start(parent, 'Another chain', surrogate);
    const slow = await api.pool.connect();
    try {
      // This message has an older id and transaction than the last one that the reader sees before they leave.
      await slow.query('begin');
      await slow.query(
        `insert into message (chain_id, from_id, from_type, to_id, to_type, to_admin, message)
         values ($1, $2, 'ip', $3, 'surrogate', true, 'The earlier one, committed last')`,
        [other, parent.userId, surrogate.userId],
      );
      await parent.form(`/api/messages/${chainId}`, { message: 'Seen before leaving' });
      await reader.next(isMessage('Seen before leaving'));
      reader.close();
      await slow.query('commit');
    } finally {
      slow.release();
    }
    const again = await listen(surrogate, reader.lastId);
    assert.ok(await again.next(isMessage('The earlier one, committed last')));
    again.close();
  });

  test('a client that was away for too long has to read everything again', async () => {
    await api.pool.query(
      `insert into message (chain_id, from_id, from_type, to_admin, message)
       select (select min(id) from message_chain), $1, 'ip', true, 'One of very many' from generate_series(1, 1001)`,
      [parent.userId],
    );
    for (const lastEventId of ['1', 'nonsense', '99999999999999999999']) {
      const reader = await listen(surrogate, lastEventId);
      assert.equal((await reader.next()).event, 'resync', lastEventId);
      assert.equal((await reader.next()).event, 'unread', lastEventId);
      reader.close();
    }
    await api.pool.query(`delete from message where message = 'One of very many'`);
  });

  test('a stream ends with the account that opened it', async () => {
    const rep = await api.as('rep');
    const reader = await listenReady(rep);
    await api.pool.query(`update user_account set status = 'deactivated' where id = $1`, [rep.userId]);
    await reader.ended();
    assert.equal((await rep.get('/api/messages/events')).status, 401);
  });

  test('a ninth stream of one person is rejected', async () => {
    const owner = await api.as('owner');
    const open = await Promise.all(Array.from({ length: 8 }, () => listenReady(owner)));
    const refused = await owner.get('/api/messages/events');
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'too_many_requests');
    for (const reader of open) reader.close();
  });

  test('a client that leaves during authentication takes none of the eight places', async () => {
    const manager = await api.as('manager');
    for (let remaining = 0; remaining < 8; remaining += 1) {
      const holder = await api.pool.connect();
      try {
        await holder.query('begin');
        await holder.query('lock table user_account in access exclusive mode');
        const call = get(`${api.baseUrl}/api/messages/events`, {
          headers: { authorization: `Bearer ${manager.token}` },
        });
        call.on('error', () => {});
        await eventually('it is being looked up', async () => {
          const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
          return ((await holder.query(waiting)).rowCount ?? 0) > 0;
        });
        // The server closes its side once it has seen that the client left.
        const gone = once(call.socket ?? assert.fail('not connected'), 'close');
        call.socket?.end();
        await gone;
      } finally {
        await holder.query('rollback');
        holder.release();
      }
    }
    const reader = await listenReady(manager);
    reader.close();
  });
});

test('[CHAIN-16, LIVE-2] a member who is removed from a conversation is notified and receives nothing more', async () => {
  const manager = await api.as('manager');
  const { body } = await escrow.form('/api/messages', {
    message: 'To both',
    case_id: String(CASE_1),
    recipients: JSON.stringify([
      { user_type: 'surrogate', user_id: surrogate.userId },
      { user_type: 'case_manager', user_id: manager.userId },
    ]),
  });
  const reader = await listenReady(manager);
  const { rows } = await api.pool.query('select * from user_account where id = $1', [escrow.userId]);
  await removeFromChain(
    api.db,
    { chain_id: body.chain.id, user_id: manager.userId },
    { actor: rows[0], origin: { layer: 'admin' } },
  );
  assert.equal((await reader.next(({ event }) => event === 'chain')).data.chain_id, body.chain.id);
  await escrow.form(`/api/messages/${body.chain.id}`, { message: 'Without you' });
  await escrow.form('/api/messages', {
    message: 'With you',
    case_id: String(CASE_1),
    recipients: JSON.stringify([{ user_type: 'case_manager', user_id: manager.userId }]),
  });
  const next = await reader.next(({ event }) => event === 'message');
  assert.equal(next.data.message.message, 'With you');
  assert.equal((await manager.get(`/api/messages/${body.chain.id}`)).status, 404);
  reader.close();
});

test('[CHAIN-16, LIVE-5] a person who leaves a case is notified about each of its conversations', async () => {
  const manager = await api.as('manager');
  const recipients = JSON.stringify([{ user_type: 'case_manager', user_id: manager.userId }]);
  const write = () => escrow.form('/api/messages', { message: 'To you', case_id: String(CASE_1), recipients });
  const chains = new Set([(await write()).body.chain.id, (await write()).body.chain.id]);
  const reader = await listenReady(manager);
  assert.ok((await api.db.transaction((tx) => leaveChainsOfCase(tx, CASE_1, manager.userId))) >= chains.size);
  while (chains.size > 0) chains.delete((await reader.next(({ event }) => event === 'chain')).data.chain_id);
  reader.close();
});

test('[LIVE-2] access of all readers is checked in one statement, and never twice at the same time', async (t) => {
  const people = await Promise.all([parent, surrogate, escrow].map(({ userId }) => findActiveUserById(api.db, userId)));
  let checks = 0;
  const gate = Promise.withResolvers<void>();
  const query: Executor['query'] = async (statement) => {
    const isLook = /ended_web_session|user_account where id/.test(JSON.stringify(statement));
    checks += Number(isLook);
    if (isLook) await gate.promise;
    return api.db.query(statement);
  };
  const live = new LiveUpdates({ ...api, db: { ...api.db, query }, log: quietLog, checkEveryMs: 1 });
  live.start();
  t.after(() => {
    gate.resolve();
    return live.stop();
  });
  const left: string[] = [];
  for (const user of people as User[])
    for (let tab = 0; tab < 4; tab++) live.join(user, { send() {}, close: () => left.push(user.user_type) });
  await eventually('a check', () => checks > 0);
  // Many intervals pass during these queries.
  for (let round = 0; round < 20; round++) await api.pool.query('select pg_sleep(0.002)');
  assert.equal(checks, 1, 'one check at a time');
  gate.resolve();
  const { user_type } = people[1] as User;
  await api.pool.query(`update user_account set status = 'deactivated' where id = $1`, [surrogate.userId]);
  await eventually('their streams are closed', () => left.length > 0);
  assert.deepEqual(left, Array(4).fill(user_type));
  await api.pool.query(`update user_account set status = 'active' where id = $1`, [surrogate.userId]);
});

/** Passes connections on, and ends each of them two seconds after it was opened. @returns its address, and how many have ended. */
async function startCuttingProxy(): Promise<{ url: string; cuts: () => number }> {
  const { hostname, port } = new URL(api.baseUrl);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      cuts += 1;
      for (const socket of [client, upstream]) socket.destroy();
    }, 2000);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(timer);
        other.destroy();
        sockets.delete(socket);
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, cuts: () => cuts };
}

test('[LIVE-1, LIVE-4] behind a proxy that ends every stream after two seconds, all messages arrive in order', async (t) => {
  const { chainId } = await start(parent, 'Behind the proxy', surrogate);
  const proxy = await startCuttingProxy();
  const readers = [surrogate, escrow].map(({ token }) => {
    const texts: string[] = [];
    let lastId: string | undefined;
    const onEvent = ({ event, data, id }: ServerEvent) => {
      lastId = id ?? lastId;
      const { message } = JSON.parse(data);
      // A message may be repeated.
      if (event === 'message' && message.chain_id === chainId && !texts.includes(message.message)) texts.push(message.message);
    };
    const open = (since: string | undefined, signal: AbortSignal) =>
      fetch(`${proxy.url}/api/messages/events`, {
        signal,
        headers: { authorization: `Bearer ${token}`, ...(since === undefined ? {} : { 'last-event-id': since }) },
      });
    const { stop } = followEvents({ since: undefined, open, onEvent, onState: () => {} });
    t.after(stop);
    return { texts, isOpen: () => lastId !== undefined };
  });
  await eventually('both streams', () => readers.every(({ isOpen }) => isOpen()));
  const sent: string[] = [];
  for (let cuts = 0; cuts < 6; cuts = proxy.cuts()) {
    for (let n = 0; n < 40; n += 1) {
      const message = `Number ${sent.length}`;
      await parent.form(`/api/messages/${chainId}`, { message });
      sent.push(message);
    }
    await eventually('the next end of a stream', () => proxy.cuts() > cuts);
  }
  await eventually('the last message', () => readers.every(({ texts }) => texts.includes(sent.at(-1) ?? '')));
  for (const { texts } of readers)
    assert.deepEqual(
      texts.filter((text) => text !== 'Behind the proxy'),
      sent,
    );
});
