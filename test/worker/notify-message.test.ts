import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import type { Database } from '@case-platform/lib/database';
import { announceMessage } from '@case-platform/modules/messaging';
import { createEmailProvider } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { type Client, startApi } from '../support/platform.ts';
import { runOverlapping } from '../support/run-overlapping.ts';

/** A push service and a Mailpit that write down what they were sent. */
const received: { path: string; headers: Record<string, unknown>; body: Buffer }[] = [];
const statusOf = new Map<string, number>();
const sink = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = request.url ?? '';
  received.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
  const status = statusOf.get(path) ?? (path.startsWith('/api/') ? 200 : 201);
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"ID":"mail-1"}');
});
await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
after(() => sink.close());
const origin = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
const email = createEmailProvider({ from: 'Case Platform <no-reply@demo.test>', mailpitUrl: origin, sendgrid: {} });

const api = await startApi();
const { parent, surrogate, escrow } = await api.everyone();
const device = createECDH('prime256v1');
const KEYS = { p256dh: device.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
const subscribe = (who: Client, path: string) =>
  who.post('/api/notifications/subscribe', { enabled: true, endpoint: `${origin}${path}`, keys: KEYS });
const mails = () => received.filter(({ path }) => path === '/api/v1/send').map(({ body }) => JSON.parse(body.toString()));
const pushed = () => received.filter(({ path }) => !path.startsWith('/api/')).map(({ path }) => path);
const deliveries = async (channel: string) =>
  (await api.pool.query('select state, error, attempts from delivery where channel = $1 order by id', [channel])).rows;

beforeEach(async () => {
  received.length = 0;
  statusOf.clear();
  await api.pool.query('delete from delivery');
  await api.pool.query('delete from push_subscription');
});

describe('[EMAIL-2] new message', () => {
  test('[EMAIL-2] message_alert.html goes to the assigned admin, not to the sender, and contains no content', async () => {
    await parent.form('/api/messages', {
      message: 'A private matter',
      subject: '<b>About</b> us',
      case_id: String(CASE_1),
    });
    await api.work({ email });
    const [mail, ...more] = mails();
    assert.equal(more.length, 0);
    assert.deepEqual(mail.To, [{ Email: 'escrow@demo.test' }]);
    assert.equal(mail.Subject, 'New in your conversation “<b>About</b> us”');
    assert.match(mail.Text, /^Hello Elena,\n\nPaige Whitlock wrote to you about/);
    assert.match(mail.HTML, /&lt;b&gt;About&lt;\/b&gt; us/);
    assert.match(mail.HTML, /http:\/\/localhost:4001\/messages\/\d+/);
    assert.match(mail.Text, /http:\/\/localhost:4001\/messages\/\d+/);
    assert.doesNotMatch(mail.HTML + mail.Text, /private matter/);
    assert.deepEqual(await deliveries('email'), [{ state: 'sent', error: null, attempts: 1 }]);
  });

  test('goes to every recipient of a message between non-admins, and to the assigned admin', async () => {
    await parent.form('/api/messages', {
      message: 'x',
      recipients: JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]),
    });
    await api.work({ email });
    assert.deepEqual(
      mails()
        .map((mail) => mail.To[0].Email)
        .sort(),
      ['escrow@demo.test', 'surrogate@demo.test'],
    );
  });

  describe('[EMAIL-3] more of a conversation within ten minutes', () => {
    const makeDue = () => api.pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
    const waiting = async () =>
      (await api.pool.query("select run_at - now() as wait from graphile_worker.jobs where task_identifier = 'email_gathered'"))
        .rows;
    /** The number of messages that each mail mentions. */
    const gathered = () => mails().map(({ HTML }) => /<h1[^>]*>([^<]*)/.exec(HTML)?.[1]);

    test('is gathered into one mail: 60 messages make two, and 60 pushes', async () => {
      await subscribe(escrow, '/phone');
      const { body } = await parent.form('/api/messages', { message: 'One of 60' });
      await api.work({ email });
      for (let at = 1; at < 60; at += 1) await parent.form(`/api/messages/${body.chain.id}`, { message: `More ${at}` });
      await api.work({ email });
      assert.deepEqual(gathered(), ['New message from Paige Whitlock'], 'the first at once, the rest later');
      assert.equal((await waiting()).length, 1);
      assert.equal(pushed().length, 60);
      await makeDue();
      await api.work({ email });
      assert.deepEqual(gathered(), ['New message from Paige Whitlock', '59 new messages from Paige Whitlock']);
      assert.match(mails()[1].HTML, /Read the messages/);
      await parent.form(`/api/messages/${body.chain.id}`, { message: 'Soon after' });
      await api.work({ email });
      assert.equal(mails().length, 2, 'each mail starts another ten minutes');
      await escrow.post(`/api/messages/${body.chain.id}/viewed`, {});
      await makeDue();
      await api.work({ email });
      assert.equal(mails().length, 2, 'what was read meanwhile is not mailed');
    });

    test('of messages that wait at the same time the first mail names all, and none is mailed twice', async () => {
      const { body } = await parent.form('/api/messages', { message: 'One' });
      await api.work({ email });
      await api.pool.query("update message_mail set mailed_at = mailed_at - interval '11 minutes'");
      for (const message of ['Two', 'Three', 'Four']) await parent.form(`/api/messages/${body.chain.id}`, { message });
      await api.work({ email });
      const expected = ['New message from Paige Whitlock', '3 new messages from Paige Whitlock'];
      assert.deepEqual(gathered(), expected);
      await makeDue();
      await api.work({ email });
      assert.deepEqual(gathered(), expected);
    });

    test('messages of several people are mailed without a name', async () => {
      const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
      const { body } = await parent.form('/api/messages', { message: 'One', recipients });
      await api.work({ email });
      received.length = 0;
      await api.pool.query("update message_mail set mailed_at = mailed_at - interval '11 minutes'");
      for (const who of [parent, surrogate, parent]) await who.form(`/api/messages/${body.chain.id}`, { message: 'More' });
      await api.work({ email });
      const headings = mails().map(({ To, HTML }) => `${To[0].Email}: ${/<h1[^>]*>([^<]*)/.exec(HTML)?.[1]}`);
      assert.deepEqual(headings.sort(), [
        'escrow@demo.test: 3 new messages',
        'parent@demo.test: New message from Sarah Lindgren',
        'surrogate@demo.test: 2 new messages from Paige Whitlock',
      ]);
    });

    test('of two messages that two workers mail at once, the second waits and is gathered', async () => {
      const chain = { message: 'One', subject: 'At once', case_id: String(CASE_1) };
      const { body } = await parent.form('/api/messages', chain);
      await parent.form(`/api/messages/${body.chain.id}`, { message: 'Two' });
      const { rows } = await api.pool.query('select id from message where chain_id = $1 order by id', [body.chain.id]);
      const mail = (db: Database, { id: message_id }: { id: number }) =>
        announceMessage({ db, webUrl: '', adminUrl: '' }, { message_id });
      await api.pool.query('delete from graphile_worker._private_jobs');
      await runOverlapping(
        api,
        (tx) => mail(tx, rows[0]),
        () => mail(api.db, rows[1]),
      );
      const tasks = 'select task_identifier from graphile_worker.jobs order by id';
      assert.deepEqual(
        (await api.pool.query(tasks)).rows.map(({ task_identifier }) => task_identifier),
        ['deliver_email', 'email_gathered'],
      );
      await api.pool.query('delete from graphile_worker._private_jobs');
    });

    test('waits for the rest of the ten minutes, and later messages go at once', async () => {
      const { body } = await escrow.form('/api/messages', {
        message: 'x',
        recipients: JSON.stringify([{ user_type: 'intended_parent', user_id: parent.userId }]),
      });
      await api.work({ email });
      await escrow.form(`/api/messages/${body.chain.id}`, { message: 'y' });
      await api.work({ email });
      const [job] = await waiting();
      assert.ok(job?.wait.minutes >= 8 && job?.wait.minutes < 10, JSON.stringify(job));
      await api.pool.query("update message_mail set mailed_at = mailed_at - interval '11 minutes'");
      await escrow.form(`/api/messages/${body.chain.id}`, { message: 'z' });
      await api.work({ email });
      assert.deepEqual(gathered(), ['New message from Elena Marsh', '2 new messages from Elena Marsh']);
      await makeDue();
      await api.work({ email });
      assert.equal(mails().length, 2, 'nothing is mailed twice');
    });

    test('is another mail in another chain, and to another person', async () => {
      const to = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
      for (let round = 0; round < 2; round += 1) await parent.form('/api/messages', { message: 'x', recipients: to });
      await api.work({ email });
      assert.equal(mails().length, 4);
    });

    test('a message is not mailed to someone who has left, nor after it was taken back', async () => {
      const to = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
      const { body } = await parent.form('/api/messages', { message: 'x', recipients: to });
      await api.work({ email });
      const more = await parent.form(`/api/messages/${body.chain.id}`, { message: 'y' });
      await api.work({ email });
      await parent.call('DELETE', `/api/messages/${body.chain.id}/${more.body.message.id}`);
      await makeDue();
      await api.work({ email });
      assert.equal(mails().length, 2);
      await parent.form(`/api/messages/${body.chain.id}`, { message: 'z' });
      await api.work({ email });
      await api.pool.query('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', [
        body.chain.id,
        surrogate.userId,
      ]);
      await makeDue();
      await api.work({ email });
      assert.deepEqual(
        mails()
          .slice(2)
          .map(({ To }) => To[0].Email),
        ['escrow@demo.test'],
      );
    });
  });

  test('[NOTIFY-2] without a provider, development keeps what was rendered', async () => {
    await parent.form('/api/messages', { message: 'x' });
    await api.work();
    const { rows } = await api.pool.query("select state, content->>'html' as html from delivery where channel = 'email'");
    assert.equal(rows[0].state, 'sent');
    assert.match(rows[0].html, /New message from Paige Whitlock/);
  });

  test('without a provider production keeps nothing, and says that nothing was sent', async () => {
    await parent.form('/api/messages', { message: 'x' });
    await api.work({ keepsContent: false });
    const { rows } = await api.pool.query("select state, content from delivery where channel = 'email'");
    assert.deepEqual(rows, [{ state: 'failed', content: null }]);
  });

  test('a provider that fails is called again, and one that rejects the mail is not', async () => {
    statusOf.set('/api/v1/send', 500);
    await parent.form('/api/messages', { message: 'x' });
    await api.work({ email });
    const [failed] = await deliveries('email');
    assert.equal(failed?.state, 'queued');
    assert.match(failed?.error ?? '', /^Mailpit at 127\.0\.0\.1:\d+ answered 500\.$/);
    statusOf.clear();
    await api.retryNow();
    await api.work({ email });
    // On a busy machine it was tried again by itself before.
    assert.ok(failed.attempts >= 1, `${failed.attempts} attempts`);
    assert.deepEqual(await deliveries('email'), [{ state: 'sent', error: null, attempts: failed.attempts + 1 }]);
    statusOf.set('/api/v1/send', 400);
    await parent.form('/api/messages', { message: 'x' });
    await api.work({ email });
    assert.equal((await deliveries('email'))[1]?.state, 'failed');
    const { rows } = await api.pool.query("select 1 from graphile_worker.jobs where task_identifier = 'deliver_email'");
    assert.equal(rows.length, 0);
  });
});

describe('[PUSH-9] pushes about messages', () => {
  test('[PUSH-8, PUSH-9] a message from someone who is not staff is pushed to all devices of the assigned admin at once', async () => {
    await subscribe(escrow, '/phone');
    await subscribe(escrow, '/desk');
    await subscribe(surrogate, '/other');
    await parent.form('/api/messages', {
      message: 'x',
      recipients: JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]),
    });
    await api.work();
    assert.deepEqual(pushed().sort(), ['/desk', '/phone']);
    const [first] = received.filter(({ path }) => path === '/phone');
    assert.equal(first?.headers['content-encoding'], 'aes128gcm');
    assert.match(String(first?.headers.authorization), /^vapid t=/);
  });

  test('[PUSH-9] an admin’s reply is pushed to its recipient, and a group message to all members who are not staff', async () => {
    await subscribe(parent, '/parent');
    await subscribe(surrogate, '/surrogate');
    await subscribe(escrow, '/escrow');
    const to = (...people: [string, Client][]) =>
      JSON.stringify(people.map(([user_type, { userId }]) => ({ user_type, user_id: userId })));
    await escrow.form('/api/messages', { message: 'x', recipients: to(['intended_parent', parent]) });
    await api.work();
    assert.deepEqual(pushed(), ['/parent']);
    received.length = 0;
    await escrow.form('/api/messages', {
      message: 'x',
      recipients: to(['intended_parent', parent], ['surrogate', surrogate]),
    });
    await api.work();
    assert.deepEqual(pushed().sort(), ['/parent', '/surrogate']);
  });

  test('[PUSH-6] 404 or 410 deletes exactly that subscription, and the others get the push once', async () => {
    for (const [path, status] of [
      ['/a', 410],
      ['/b', 404],
      ['/c', 201],
    ] as const) {
      await subscribe(escrow, path);
      statusOf.set(path, status);
    }
    await parent.form('/api/messages', { message: 'x' });
    await api.work();
    await api.work();
    const { rows } = await api.pool.query('select endpoint from push_subscription');
    assert.deepEqual(
      rows.map((row) => new URL(row.endpoint).pathname),
      ['/c'],
    );
    assert.deepEqual(pushed().sort(), ['/a', '/b', '/c']);
  });

  test('a job that runs again adds no delivery', async () => {
    await subscribe(escrow, '/phone');
    const { body } = await parent.form('/api/messages', { message: 'x' });
    await api.work();
    await api.pool.query('select graphile_worker.add_job($1, $2)', ['announce_message', { message_id: body.message.id }]);
    await api.work();
    assert.equal((await deliveries('push')).length, 1);
    assert.equal((await deliveries('email')).length, 1);
    assert.deepEqual(pushed(), ['/phone']);
  });
});
