import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { RetryLaterError } from '@case-platform/lib/jobs';
import { createSmsProvider, queueSms, ValueError } from '@case-platform/modules/notifications';
import { startApi } from '../support/platform.ts';
import { runOverlapping } from '../support/run-overlapping.ts';
import { EVERY_STATUS, startSink } from '../support/sink.ts';

/** Twilio's message resource, as far as the SDK uses it. It answers with the configured status and code. */
let answer: { status: number; code?: number } = { status: 201 };
const received: { path: string; form: URLSearchParams }[] = [];
const stub = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  received.push({ path: request.url ?? '', form: new URLSearchParams(Buffer.concat(chunks).toString()) });
  const body = answer.code === undefined ? { sid: 'SM1' } : { code: answer.code, message: 'refused', status: answer.status };
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
stub.listen(0, '127.0.0.1');
await once(stub, 'listening');
after(() => stub.close());

const sms = createSmsProvider({
  accountSid: 'AC0000000000000000000000000000000a',
  authToken: 'token',
  from: '+12025550100',
  baseUrl: `http://127.0.0.1:${(stub.address() as AddressInfo).port}`,
});
if (sms === null) throw new Error('Twilio is configured');
const api = await startApi();
const PHONE = '+12025550143';

beforeEach(() => {
  received.length = 0;
});

test('[SMS-1] a text message is sent with a phone number and a text', async () => {
  answer = { status: 201 };
  assert.equal(await sms.send(PHONE, 'Your code'), 'SM1');
  const [call] = received;
  assert.match(call?.path ?? '', /\/Accounts\/AC\w+\/Messages\.json$/);
  assert.deepEqual(Object.fromEntries(call?.form ?? []), { To: PHONE, From: '+12025550100', Body: 'Your code' });
});

test('[SMS-2] an invalid phone format is a ValueError, and nothing is sent', async () => {
  for (const phone of ['', '12025550143', '+1', '+1202555014x', 'not a number', '+12025550143;ext=1']) {
    await assert.rejects(sms.send(phone, 'x'), ValueError, phone);
  }
  assert.equal(received.length, 0);
  answer = { status: 201 };
  await sms.send(PHONE, 'x');
  assert.equal(received.length, 1, 'a valid number gets the text');
});

test('[SMS-2] an invalid number or an unsubscribed recipient at the provider is a ValueError', async () => {
  for (const code of [21211, 21614, 21635, 21401, 21407, 21610]) {
    answer = { status: 400, code };
    await assert.rejects(sms.send(PHONE, 'x'), ValueError, String(code));
  }
});

test('[SMS-2] only Twilio’s own codes about the number are final, and any other answer leads to another try', async () => {
  const sink = await startSink();
  const settings = { accountSid: 'AC0000000000000000000000000000000a', authToken: 'token', from: '+12025550100' };
  const twilio = createSmsProvider({ ...settings, baseUrl: sink.origin });
  const impatient = createSmsProvider({ ...settings, baseUrl: sink.origin, giveUpAfterMs: 500 });
  const path = `/2010-04-01/Accounts/${settings.accountSid}/Messages.json`;
  const outcome = async (answer: Parameters<typeof sink.answers.set>[1], provider = twilio) => {
    sink.answers.set(path, answer);
    try {
      return `sent ${await provider?.send(PHONE, 'x')}`;
    } catch (error) {
      if (error instanceof ValueError) return 'refused';
      return error instanceof RetryLaterError ? `again in ${error.seconds}` : 'again';
    }
  };
  const headers = { location: `${sink.origin}/elsewhere` };
  for (const status of EVERY_STATUS) {
    const isSent = status < 300 && status !== 204;
    assert.equal(await outcome({ status, body: { sid: 'SM1' }, headers }), isSent ? 'sent SM1' : 'again', String(status));
    if (status < 400) continue;
    for (const [code, expected] of [
      [21610, 'refused'],
      [21211, 'refused'],
      [20429, 'again'],
      ['21610', 'again'],
    ] as const)
      assert.equal(await outcome({ status, body: { code, message: 'x', status } }), expected, `${status} ${code}`);
  }
  assert.ok(!sink.received.some((request) => request.path === '/elsewhere'), 'no redirect is followed');
  assert.equal(await outcome('drop'), 'again');
  for (const status of [201, 400, 503]) {
    for (const body of ['', '<html>', 'null', '[]', '{}', '"text"'])
      assert.equal(await outcome({ status, body }), 'again', `${status} ${body}`);
    for (const body of ['endless', 'dripping'])
      assert.equal(await outcome({ status, body }, impatient), 'again', `${status} ${body}`);
  }
  for (const [wait, expected] of [
    ['1200', /^again in 1200$/],
    ['86400', /^again in 3600$/],
    [new Date(Date.now() + 600_000).toUTCString(), /^again in (59\d|600)$/],
    ['soon', /^again$/],
  ] as const) {
    const body = { code: 20429, message: 'Too Many Requests', status: 429 };
    assert.match(await outcome({ status: 429, body, headers: { 'retry-after': wait } }), expected);
    assert.match(await outcome({ status: 503, body: '<html>', headers: { 'retry-after': wait } }), expected);
  }
});

test('[SMS-2] a ValueError is not retried, and anything else is', async () => {
  const to = { id: (await api.as('smsotp')).userId, user_type: 'ip' as const, email_address: 'smsotp@demo.test' };
  const queue = (key: string) =>
    api.db.transaction((tx) => queueSms(tx, { key, event: 'bank_account_changed', to, phone: PHONE, text: 'It’s “yours”' }));
  answer = { status: 400, code: 21610 };
  await queue('permanent');
  await api.work({ sms });
  answer = { status: 500, code: 20500 };
  await queue('passing');
  await api.work({ sms });
  const states = "select state from delivery where channel = 'sms' order by id";
  const waiting = "select task_identifier from graphile_worker.jobs where task_identifier = 'deliver_sms'";
  assert.deepEqual((await api.pool.query(states)).rows, [{ state: 'failed' }, { state: 'queued' }]);
  assert.equal((await api.pool.query(waiting)).rows.length, 1);
  answer = { status: 201 };
  await api.retryNow();
  await api.work({ sms });
  assert.deepEqual((await api.pool.query(states)).rows, [{ state: 'failed' }, { state: 'sent' }]);
  assert.equal(received.at(-1)?.form.get('Body'), 'It\'s "yours"', 'signs that fit into one text');
});

test('[SMS-3] a number that no account has confirmed gets ten texts a day over all accounts; one more code is a 429', async () => {
  const [one, other] = [await api.as('manager'), await api.as('rep')];
  const phone = '+12025550166';
  let texts = 0;
  const queue = (who: { userId: number }, to = phone) => {
    texts += 1;
    const person = { id: who.userId, user_type: 'cm' as const, email_address: 'x@demo.test' };
    const text = { key: `texts:${texts}`, event: 'phone_changed' as const, to: person, phone: to, text: 'x' };
    return api.db.transaction((tx) => queueSms(tx, text));
  };
  const states = async () =>
    (
      await api.pool.query(`select state, count(*)::int from delivery where recipient = $1 group by state order by state`, [
        phone,
      ])
    ).rows.map(({ state, count }) => `${count} ${state}`);
  for (let at = 0; at < 9; at += 1) assert.equal(await queue(at % 2 === 0 ? one : other), null);
  const json = (method: string, path: string, body: object) =>
    one.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  assert.equal((await json('PATCH', '/api/user/me', { phone })).status, 200);
  const begin = () => json('POST', '/api/user/me/two-factor', { method: 'sms' });
  assert.equal((await begin()).status, 200, 'the tenth');
  const refused = await begin();
  assert.equal(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
  assert.ok((await queue(other)) instanceof Date);
  assert.deepEqual(await states(), ['10 queued', '1 suppressed']);
  assert.equal(await queue(other, '+12025550189'), null, 'another number');

  const age = (since: string) =>
    api.pool.query(
      `update delivery set created_at = now() - $2::interval where id = (select min(id) from delivery where recipient = $1)`,
      [phone, since],
    );
  await age('23 hours 59 minutes');
  const freeAt = await queue(one);
  assert.ok(freeAt !== null && freeAt.getTime() - Date.now() < 120_000, 'as soon as the oldest text is a day old');
  await age('1 day');
  assert.equal(await queue(one), null);
  assert.ok((await queue(one)) instanceof Date);
  await api.pool.query('update user_account set confirmed_phone = $1 where id = $2', [phone, one.userId]);
  assert.equal(await queue(one), null, 'an account that has verified the number is not limited');
  assert.ok((await queue(other)) instanceof Date);
});

test('[SMS-2, NOTIFY-11] a call to a provider that hangs is ended, and the text is tried again later', async (t) => {
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const hanging = createSmsProvider({
    accountSid: 'AC0000000000000000000000000000000a',
    authToken: 'token',
    from: '+12025550100',
    baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    giveUpAfterMs: 50,
  });
  await assert.rejects(
    hanging?.send(PHONE, 'x') ?? Promise.resolve(),
    (error) => error instanceof Error && !(error instanceof ValueError),
  );
});

test('[SMS-2] a gateway’s path is used, and a rejection that is not from Twilio names status and host', async (t) => {
  const paths: string[] = [];
  const gate = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>token: no such route</h1>');
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  t.after(() => gate.close());
  const host = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
  const settings = { accountSid: 'AC0000000000000000000000000000000a', authToken: 'token', from: '+12025550100' };
  for (const baseUrl of [`http://${host}/gate/way`, `http://${host}/gate/way/`]) {
    const behind = createSmsProvider({ ...settings, baseUrl });
    await assert.rejects(behind?.send(PHONE, 'x') ?? Promise.resolve(), {
      message: `Twilio at ${host} answered 404.`,
    });
  }
  assert.equal(paths.length, 2);
  for (const path of paths) assert.match(path, /^\/gate\/way\/2010-04-01\/Accounts\/AC\w+\/Messages\.json$/);
  gate.close();
  await once(gate, 'close');
  const gone = createSmsProvider({ ...settings, baseUrl: `http://${host}` });
  await assert.rejects(gone?.send(PHONE, 'x') ?? Promise.resolve(), {
    message: /^Twilio at 127\.0\.0\.1:\d+ answered ECONN(REFUSED|RESET)\.$/,
  });
});

test('[NOTIFY-10] reports are requested for each delivery where Twilio can reach us', async () => {
  answer = { status: 201 };
  const callback = (statusCallback: string) =>
    createSmsProvider({
      accountSid: 'AC0000000000000000000000000000000a',
      authToken: 'token',
      from: '+12025550100',
      baseUrl: `http://127.0.0.1:${(stub.address() as AddressInfo).port}`,
      statusCallback,
    });
  await callback('https://api.demo.test/webhooks/twilio')?.send(PHONE, 'x', { delivery_id: 7 });
  await callback('http://localhost:4000/webhooks/twilio')?.send(PHONE, 'x', { delivery_id: 7 });
  assert.deepEqual(
    received.map(({ form }) => form.get('StatusCallback')),
    ['https://api.demo.test/webhooks/twilio?delivery_id=7', null],
  );
});

test('[SMS-3] of two texts that are queued at once for one number, the second waits for the first and counts it', async () => {
  const phone = '+12025550133';
  const to = { id: (await api.as('smsotp')).userId, user_type: 'ip' as const, email_address: 'smsotp@demo.test' };
  const queue = (tx: Transaction, key: string) => queueSms(tx, { key, event: 'phone_changed', to, phone, text: 'x' });
  await api.db.transaction(async (tx) => {
    for (let at = 1; at <= 9; at += 1) await queue(tx, `early-${at}`);
  });
  const tenth = async (tx: Transaction) => assert.equal(await queue(tx, 'tenth'), null);
  const turn = await runOverlapping(api, tenth, () => api.db.transaction((tx) => queue(tx, 'eleventh')));
  assert.ok(turn instanceof Date);
});
