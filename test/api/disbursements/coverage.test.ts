import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { EventReader } from '../../support/event-reader.ts';
import { decide, fundCase, move, moveCash, type RequestFields, draft as writeDraft } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const { surrogate, manager, owner, rep, parent, parent2, escrow, viewer } = await api.everyone();
/** People who may send a request, and whether they may see the balance of its case. */
const SENDERS: [string, Client, boolean][] = [
  ['surrogate', surrogate, false],
  ['case manager', manager, true],
  ['agency owner', owner, true],
  ['representative', rep, true],
  ['parent', parent2, true],
];
const BALANCE = 734_561;
/** Drafts a request in a category without a contract limit, because everyone on the case may read the figures of a limit. */
const draft = (who: Client, fields: RequestFields) => writeDraft(who, { category: 'Other', ...fields });

async function caseWith(available_cents: number): Promise<number> {
  const caseId = await copyCase(api, CASE_1);
  if (available_cents > 0) await fundCase(api, caseId, available_cents);
  return caseId;
}

const getRequest = async (who: Client, id: number) => (await who.get(`/api/disbursements/${id}`)).body;
const coverageFor = async (who: Client, id: number) => (await getRequest(who, id)).covered;

/** Returns an answer without the ids, times, amounts, and counts of calls, which differ between any two requests. */
function shapeOf({ status, headers, body }: Answer) {
  const hidden = /^(id|case_id|version|amount_cents|.*_at|at|since|waiting_since|request_id)$/;
  const text = JSON.stringify(body, (name, value) => (hidden.test(name) ? typeof value : value));
  const sent = [...headers].filter(([name]) => !/^(date|content-length|x-request-id|ratelimit)$/.test(name));
  return { status, headers: sent, body: JSON.parse(text.replaceAll(/\$[\d,.]+/g, '$…')) };
}

async function patch(who: Client, id: number, fields: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return who.call('PATCH', `/api/disbursements/${id}`, { body: JSON.stringify(fields), headers });
}

/** Sends a request, sends it again, changes its amount, and sends it once more. @returns the answers to its sender. */
async function sendTwice(sender: Client, case_id: number, [first, second]: [number, number]): Promise<Answer[]> {
  const { id } = await draft(sender, { case_id, amount_cents: first });
  const path = `/api/disbursements/${id}`;
  const answers = [await sender.post(`${path}/submit`), await sender.post(`${path}/submit`)];
  answers.push(await patch(sender, id, { amount_cents: second }), await sender.post(`${path}/submit`));
  return [...answers, await sender.get(path)];
}

describe('what a sender can learn about the balance', () => {
  test('[FUNDS-2] a search of 33 submissions for the hidden balance gets the same answer every time', async () => {
    const caseId = await caseWith(BALANCE);
    const shapes = new Set<string>();
    let [low, high] = [1, 9_999_999_999];
    for (let attempt = 0; attempt < 33; attempt += 1) {
      const amount_cents = Math.floor((low + high) / 2);
      const { id } = await draft(surrogate, { case_id: caseId, amount_cents });
      shapes.add(JSON.stringify(shapeOf(await surrogate.post(`/api/disbursements/${id}/submit`))));
      // The bisection moves as if each answer had revealed the balance.
      if (amount_cents <= BALANCE) low = amount_cents + 1;
      else high = amount_cents;
    }
    assert.ok(Math.abs(low - BALANCE) <= 1, 'the search has come to the balance');
    assert.equal(shapes.size, 1, [...shapes].join('\n'));
    assert.match([...shapes][0] ?? '', /"status":200/);
    // Every attempt is visible to the parents.
    const { data } = (await parent.get(`/api/cases/${caseId}/disbursements?limit=100`)).body;
    assert.equal(data.length, 33);
    assert.deepEqual(
      data.map(({ amount_cents, covered }: { amount_cents: number; covered: boolean }) => covered === amount_cents <= BALANCE),
      data.map(() => true),
    );
  });

  for (const [name, sender, maySee] of SENDERS) {
    test(`[FUNDS-2] the answers to the ${name} are the same for a covered amount and for one cent more`, async () => {
      const covered = await sendTwice(sender, await caseWith(BALANCE), [BALANCE, BALANCE - 10]);
      const uncovered = await sendTwice(sender, await caseWith(BALANCE), [BALANCE + 1, BALANCE + 11]);
      const coverageIn = (answers: Answer[]) => answers.flatMap(({ body }) => ('covered' in body ? [body.covered] : []));
      assert.deepEqual(coverageIn(covered), Array(4).fill(maySee ? true : null));
      assert.deepEqual(coverageIn(uncovered), Array(4).fill(maySee ? false : null));
      for (const { body } of [...covered, ...uncovered]) {
        delete body.covered;
        if (maySee) {
          delete body.expected_bank_date;
          delete body.whereabouts;
        }
      }
      assert.deepEqual(uncovered.map(shapeOf), covered.map(shapeOf));
      assert.deepEqual(
        covered.map(({ status }) => status),
        [200, 409, 200, 200, 200],
      );
    });
  }

  test('[FUNDS-2] nothing that a surrogate reads changes when her request is no longer covered', async () => {
    const caseId = await caseWith(BALANCE);
    const { id } = await draft(surrogate, { case_id: caseId, amount_cents: BALANCE });
    await move(surrogate, id, 'submit');
    const paths = [
      `/api/disbursements/${id}`,
      `/api/cases/${caseId}/disbursements`,
      '/api/disbursements?limit=100',
      '/api/home',
      `/api/cases/${caseId}`,
      '/api/cases?overview=true',
      `/api/cases/${caseId}/timeline`,
      '/api/messages',
      `/api/cases/${caseId}/scheduled-payments`,
      `/api/cases/${caseId}/benefits`,
      '/api/user/me/payments',
      `/api/cases/${caseId}/projection`,
      `/api/cases/${caseId}/statement`,
      '/api/messages/unread/count',
    ];
    const readAll = async (who: Client) =>
      Object.fromEntries(
        await Promise.all(
          paths.map(async (path) => {
            const { status, body } = await who.get(path);
            return [path, { status, body: { ...body, request_id: null } }] as const;
          }),
        ),
      );
    const before = await Promise.all([readAll(surrogate), readAll(parent)]);
    await moveCash(api, caseId, { kind: 'refund', amount_cents: 1, memo: 'One cent' });
    const after = await Promise.all([readAll(surrogate), readAll(parent)]);
    assert.deepEqual(after[0], before[0]);
    assert.equal(before[1][`/api/disbursements/${id}`]?.body.covered, true);
    assert.equal(after[1][`/api/disbursements/${id}`]?.body.covered, false);
    assert.notDeepEqual(after[1]['/api/home'], before[1]['/api/home'], 'the parents see it on their first page');
  });

  test('[FUNDS-2] live events and mails about a request are the same whether or not it is covered', async () => {
    const news: { events: unknown[]; mails: unknown[] }[] = [];
    for (const more of [0, 1]) {
      const case_id = await caseWith(BALANCE);
      await api.work();
      const stream = await EventReader.open(`${api.baseUrl}/api/messages/events`, {
        authorization: `Bearer ${surrogate.token}`,
      });
      await stream.next(({ event }) => event === 'unread');
      const { rows } = await api.pool.query('select coalesce(max(id), 0) as id from delivery');
      const { id } = await draft(surrogate, { case_id, amount_cents: BALANCE + more });
      const events: unknown[] = [];
      for (const step of ['draft', 'submit'] as const) {
        if (step === 'submit') await move(surrogate, id, 'submit');
        const { event, data } = await stream.next();
        events.push({ event, names: Object.keys(data), isThisCase: data.case_id === case_id });
      }
      await api.work();
      const deliveries = await api.pool.query(
        'select channel, event, user_id, subject, content from delivery where id > $1 order by channel, user_id',
        [rows[0].id],
      );
      const mails = JSON.parse(JSON.stringify(deliveries.rows).replaceAll(/\$[\d,.]+|disbursements\/\d+/g, '…'));
      news.push({ events, mails });
      await stream.close();
    }
    assert.deepEqual(news[1], news[0]);
    assert.ok((news[0]?.mails.length ?? 0) > 0, 'the approver is notified');
  });
});

describe('what people who may see the balance can learn', () => {
  test('[FUNDS-1] approving a request that is not covered answers 409 and a next step, and works after a deposit', async () => {
    const caseId = await caseWith(BALANCE);
    const { id } = await draft(surrogate, { case_id: caseId, amount_cents: BALANCE + 1 });
    await move(surrogate, id, 'submit');
    for (const who of [parent, parent2, manager, owner, rep, escrow]) assert.equal(await coverageFor(who, id), false);
    const refused = await decide(parent, id, 'approve');
    assert.deepEqual([refused.status, refused.body.code], [409, 'insufficient_funds']);
    assert.match(refused.body.message, /isn’t approved\. .*deposit/);
    assert.ok(!/\$|\d/.test(refused.body.message), 'it names no amount');
    const { status, timeline, expected_bank_date } = await getRequest(parent, id);
    assert.equal(expected_bank_date, null, 'the date of the next deposit is unknown');
    assert.notEqual((await getRequest(surrogate, id)).expected_bank_date, null);
    assert.deepEqual([status, timeline.length], ['submitted', 2], 'the request still waits, and a refusal is no step of it');
    await fundCase(api, caseId, 1);
    assert.equal(await coverageFor(parent, id), true);
    assert.notEqual((await getRequest(parent, id)).expected_bank_date, null);
    assert.equal((await move(parent, id, 'approve')).covered, null, 'its money is set aside');
    assert.deepEqual((await parent.get(`/api/cases/${caseId}`)).body.balance.available_cents, 0);
  });

  test('[FUNDS-1, FUNDS-3] of two requests that together exceed the balance, the one approved first leaves the other one uncovered', async () => {
    const caseId = await caseWith(100_00);
    const ids = [];
    for (const amount_cents of [60_00, 70_00]) {
      const { id } = await draft(surrogate, { case_id: caseId, amount_cents });
      await move(surrogate, id, 'submit');
      ids.push(id);
    }
    for (const id of ids) assert.equal(await coverageFor(parent, id), true, 'each is covered by itself');
    const answers = await Promise.all(ids.map((id) => decide(parent, id, 'approve')));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const late = answers.find(({ status }) => status === 409);
    assert.equal(late?.body.code, 'insufficient_funds');
    const [lateId = 0] = ids.filter((_, at) => answers[at] === late);
    assert.equal(await coverageFor(parent, lateId), false);
    // Sending the approved request back to draft frees money for the other one.
    const [approvedId = 0] = ids.filter((id) => id !== lateId);
    await patch(surrogate, approvedId, { amount_cents: 1_00 });
    assert.equal(await coverageFor(parent, lateId), true);
    await move(parent, lateId, 'approve');
  });

  test('[FUNDS-3] an unsent draft shows coverage to its maker only, if they may see the balance', async () => {
    const caseId = await caseWith(100_00);
    const ofManager = await draft(manager, { case_id: caseId, amount_cents: 100_01 });
    assert.equal(ofManager.covered, false);
    const ofSurrogate = await draft(surrogate, { case_id: caseId, amount_cents: 100_01 });
    assert.equal(ofSurrogate.covered, null);
    for (const { id } of [ofManager, ofSurrogate])
      assert.equal(await coverageFor(escrow, id), null, 'staff do not read the amount of someone else’s draft');
  });

  test('[FUNDS-3] an approver who may not see the balance gets 409 like everyone, and is not shown coverage before', async () => {
    const caseId = await caseWith(100_00);
    await api.pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [caseId, viewer.userId]);
    await api.pool.query(
      `update admin_role_permission set permission = 'approve_drs' where permission = 'view_case_details'
          and admin_role_id = (select admin_role_id from user_account where id = $1)`,
      [viewer.userId],
    );
    const { id } = await draft(surrogate, { case_id: caseId, amount_cents: 100_01 });
    await move(surrogate, id, 'submit');
    assert.equal(await coverageFor(viewer, id), null);
    assert.equal((await decide(viewer, id, 'approve')).body.code, 'insufficient_funds');
  });
});
