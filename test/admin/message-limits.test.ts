import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, test } from 'node:test';
import { CASE_1 } from '../support/cast.ts';
import { bringTo } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { MONDAY, openDesk } from './batches/batches-desk.ts';
import { messagesDesk } from './inbox/messages-desk.ts';
import { startAdmin } from './start-admin.ts';

/** Everything that sends a text to other people counts toward the limit of messages per person (RATE-1). */

const MINUTE = 60_000;
let clock = Math.ceil(MONDAY.getTime() / MINUTE) * MINUTE + 20_000;
const now = () => new Date(clock);
const { api: database, surrogate, parent } = await openDesk({ now });
const limits = { messages: 1 };
const [api, admin] = [await startApi({ database, now, limits }), await startAdmin({ database, now, limits })];
const desk = await messagesDesk(admin);

const [staff, writer, staffAtApi] = [await admin.as('root'), await api.as('parent'), await api.as('root')];
const chain = await desk.receive('A question');
const request = await bringTo(database, { maker: surrogate, checker: parent }, 'submitted');

interface Answer {
  status: number;
  headers: Headers;
}

/** Each form of the staff application that sends a text. The text has to come back when it was not sent. */
const FORMS: Record<string, (text: string) => ReturnType<typeof staff.upload>> = {
  '/messages': (message) => staff.upload('/messages', { case_id: `${CASE_1}`, message, recipients: [`ip:${desk.parent.id}`] }),
  '/messages/:id': (message) => staff.upload(`/messages/${chain}`, { message }),
  '/disbursements/:id/question': (text) => staff.post(`/disbursements/${request}/question`, { text }),
  '/disbursements/:id/alarm': (text) => staff.post(`/disbursements/${request}/alarm`, { text }),
};

/** Each call of the API that sends a text. */
const CALLS: Record<string, (text: string) => Promise<Answer>> = {
  'POST /api/messages': (message) => writer.form('/api/messages', { message, case_id: `${CASE_1}` }),
  'POST /api/messages/:id': (message) => writer.form(`/api/messages/${chain}`, { message }),
  'POST /api/disbursements/:id/question': (text) => writer.post(`/api/disbursements/${request}/question`, { text }),
};

const assertHeldBack = ({ status, headers }: Answer) => assert.deepEqual([status, headers.get('retry-after')], [429, '40']);

beforeEach(() => {
  clock += MINUTE;
});

describe('[RATE-1] a text above the limit of messages is not sent', () => {
  for (const [form, send] of Object.entries(FORMS))
    test(`[RATE-1, RATE-3] by the form ${form}, which comes back with the text`, async () => {
      assert.equal((await staffAtApi.form(`/api/messages/${chain}`, { message: 'At the API' })).status, 201);
      const heldBack = await send('A text of staff');
      assertHeldBack(heldBack);
      assert.match(heldBack.text, /messages? in a minute/);
      assert.match(heldBack.text, />A text of staff<\/textarea>/);
      clock += MINUTE;
      const sent = await send('A text of staff');
      assert.equal(sent.status, 303, sent.text);
      assertHeldBack(await staffAtApi.form(`/api/messages/${chain}`, { message: 'Counted together' }));
    });

  for (const [call, send] of Object.entries(CALLS))
    test(`[RATE-1] by ${call}`, async () => {
      assert.equal((await send('The first text')).status, 201);
      assertHeldBack(await send('The second text'));
      assertHeldBack(await writer.form(`/api/messages/${chain}`, { message: 'Counted together' }));
    });

  test('[RATE-1] by a call of the API that stops payments', async () => {
    const path = `/api/disbursements/${request}/question`;
    assert.equal((await writer.post(path, { text: 'The first text', alarm: true })).status, 201);
    assertHeldBack(await writer.post(path, { text: 'The second text', alarm: true }));
  });

  test('[RATE-1] every form and call that writes a message or stops payments is in this table', () => {
    assert.deepEqual(writersIn('./every-form.txt'), Object.keys(FORMS).sort());
    assert.deepEqual(writersIn('../api/server/every-call.txt'), Object.keys(CALLS).sort());
  });
});

/** Returns the addresses in a list of forms or calls that write a message or a stop of payments. */
function writersIn(list: string): string[] {
  const sections = readFileSync(new URL(list, import.meta.url), 'utf8')
    .split('\n## ')
    .slice(1);
  const writing = sections.filter((section) => /^\+ (message|payment_stop) /m.test(section));
  const addresses = writing.map((section) => {
    const title = section.split('\n', 1)[0] ?? '';
    return title
      .replace(/^\w+ /, '')
      .replace(/, \d+$/, '')
      .replaceAll(/\/(\w+ )?\d+/g, '/:id');
  });
  return [...new Set(addresses)].sort();
}
