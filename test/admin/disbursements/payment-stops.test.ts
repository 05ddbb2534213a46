import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineIdCursor } from '@case-platform/lib/cursor';
import { CASE_1, CASE_2, DEMO_PASSWORD } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { bringTo, fundCase, move } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
await fundCase(api, CASE_1, 100_000_000);
const { surrogate, parent } = await api.everyone();
const [root, escrow, viewer] = await admin.people('root', 'escrow', 'viewer');
const both = { maker: surrogate, checker: parent };
const heading = 'All payments to Sarah Lindgren are stopped';

test('[BANK-10] a stop is on the dashboard and on the request pages of staff, who clear it with one form', async () => {
  const id = await bringTo(api, both, 'submitted');
  const other = await bringTo(api, both, 'submitted');
  const question = { text: 'Not <b>her</b> bank', alarm: true };
  const { chain_id } = (await parent.post(`/api/disbursements/${id}/question`, question)).body;
  const dashboard = await escrow.get('/');
  assert.match(dashboard.text, /1 person with stopped payments/);
  assert.ok(dashboard.text.includes(`href="/disbursements/${id}#payment-stop"`));
  assert.ok(/raised by Paige Whitlock: “Not &#?\w+;b&/.test(dashboard.text), 'as text, never as markup');
  for (const one of [id, other]) {
    const { text } = await escrow.get(`/disbursements/${one}`);
    assert.ok(text.includes(heading), `request ${one}`);
    assert.ok(text.includes(`href="/messages/${chain_id}"`));
  }
  const seenByViewer = await viewer.get(`/disbursements/${id}`);
  assert.ok(!seenByViewer.text.includes('Clear and continue payments'));
  const page = await escrow.get(`/disbursements/${other}`);
  const cleared = await escrow.fill(page, `/disbursements/${other}/clear-payments`, { reason: 'Phoned her' });
  assert.deepEqual([cleared.status, cleared.location], [303, `/disbursements/${other}?done=clear-payments`]);
  const again = await escrow.fill(page, `/disbursements/${other}/clear-payments`, { reason: 'Phoned her' });
  assert.equal(again.status, 409, 'the form of a page that is out of date');
  assert.ok(!(await escrow.get(`/disbursements/${id}`)).text.includes(heading));
  assert.doesNotMatch((await escrow.get('/')).text, /with stopped payments/);
  assert.equal((await move(parent, id, 'approve')).status, 'approved');
});

async function putAccount(account_number: string): Promise<void> {
  const account = { holder_name: 'Sarah Lindgren', routing_number: '021000021', account_kind: 'checking' };
  const body = JSON.stringify({ ...account, account_number, pass_hash: DEMO_PASSWORD, resubmit: true });
  const headers = { 'content-type': 'application/json' };
  assert.equal((await surrogate.call('PUT', '/api/user/me/bank-account', { body, headers })).status, 200);
}

/** Brings requests to an approval for an account that the payee then changes, with staff to decide. @returns their ids. */
async function approvedForPrevious(count: number, caseIds = [CASE_1]): Promise<number[]> {
  await putAccount('000001111');
  const ids: number[] = [];
  for (const case_id of caseIds)
    for (let made = 0; made < count; made += 1) ids.push(await bringTo(api, both, 'approved', { case_id }));
  await putAccount('000457766');
  await api.pool.query('update disbursement_request set approver_id = null where id = any($1)', [ids]);
  return ids;
}

test('[BANK-9] staff who approve in a parent’s place see the changed account, and confirm it', async () => {
  await putAccount('000001111');
  const id = await bringTo(api, both, 'approved');
  await putAccount('000457766');
  const path = `/disbursements/${id}/approve`;
  const page = await root.get(`/disbursements/${id}`);
  const [, account_seen = ''] = /name="account_seen" value="(\d+)"/.exec(page.text) ?? [];
  assert.match(page.text, /7766/);
  assert.doesNotMatch((await viewer.get(`/disbursements/${id}`)).text, /7766/);
  assert.equal((await root.fill(page, path)).status, 409, 'without the tick');
  assert.equal((await root.fill(page, path, { account_seen })).status, 303);
});

test('[BANK-9] staff who approve get one card for all payments that were approved for the previous account', async () => {
  const ids = await approvedForPrevious(3);
  const action = `/cases/${CASE_1}/account-changes/approve`;
  const statuses = () => Promise.all(ids.map(async (id) => (await surrogate.get(`/api/disbursements/${id}`)).body.status));
  const card = 'From …1111 to …7766. 3 payments, $375.00, were approved for the previous account. Did Sarah tell you?';
  const pages = await Promise.all([root.get('/'), root.get('/disbursements?show=mine')]);
  for (const { text } of pages) {
    for (const words of [card, 'Approve for …7766', 'Ask Sarah Lindgren', 'I don’t trust this', 'Was that you?'])
      assert.ok(text.includes(words), words);
  }
  // The cards are on the first page of what waits for the reader, also where the list is that of one case.
  const cursor = defineIdCursor('before').write(Number.MAX_SAFE_INTEGER);
  assert.ok((await root.get(`/disbursements?show=mine&case_id=${CASE_1}`)).text.includes(card));
  const others = ['/disbursements', `/disbursements?show=mine&cursor=${cursor}`, `/disbursements?show=mine&case_id=${CASE_2}`];
  for (const path of others) assert.ok(!(await root.get(path)).text.includes(card), path);
  assert.ok(!(await viewer.get('/')).text.includes(card));

  // Each is approved by itself, so one that was cancelled meanwhile stops no other.
  await move(surrogate, ids[1] ?? 0, 'cancel');
  const [dashboard] = pages;
  const partly = await root.fill(dashboard, action);
  assert.equal(partly.status, 409);
  const why = /Approved 2 of 3 payments, \$250\.00\. [^<]+ wasn’t approved: [^<]+/.exec(partly.text)?.[0];
  assert.ok(why !== undefined, partly.text.slice(0, 3000));
  assert.deepEqual(await statuses(), ['approved', 'cancelled', 'approved']);
  assert.ok(!partly.text.includes('Approve for …7766'), 'nothing waits any longer');

  // Payments that were approved for an account that changed again are not approved by the form of an earlier page.
  const [next = 0] = await approvedForPrevious(1);
  const outdated = await root.get('/');
  await putAccount('000450001');
  const refused = await root.fill(outdated, action);
  assert.deepEqual([refused.status, /Approved 0 of 1 payment, \$0\.00\./.test(refused.text)], [409, true]);
  const seen = await root.get('/');
  assert.equal((await root.fill(seen, action)).location, '/?done=approved');
  assert.match((await root.get('/?done=approved')).text, /The money is set aside/);
  assert.equal((await surrogate.get(`/api/disbursements/${next}`)).body.status, 'approved');
  assert.equal((await viewer.post(action, { seen: `1:${'a'.repeat(64)}:1` })).status, 403);
});

test('[BANK-9, BANK-10] a payee with payments in two cases has a card for each, which changes only its own case', async () => {
  const other = await copyCase(api, CASE_1);
  await fundCase(api, other, 100_000_000);
  await api.pool.query("update case_file set name = 'Case ' || id where id = any($1)", [[CASE_1, other]]);
  const rowsOf = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
  /** Everything of a case that one of the actions could change. */
  const contentOf = (caseId: number) =>
    rowsOf(
      `select to_jsonb(d) from disbursement_request d where case_id = $1
       union all select to_jsonb(s) from payment_stop s where case_id = $1
       union all select to_jsonb(m) from message_chain m where case_id = $1
       union all select to_jsonb(b) from ledger_balance b where case_id = $1 order by 1`,
      caseId,
    );
  /** The cards of a page by the number of their case. */
  const readCards = async (path: string) => {
    const page = await root.get(path);
    const cards = page.text.matchAll(/<section[^>]* aria-labelledby="changed-(\d+)-\d+">[\s\S]*?<\/section>/g);
    return [...cards].map(([card, caseId]) => [Number(caseId), { ...page, text: card }] as const);
  };
  const actions = [
    ['approve', (caseId: number) => `/cases/${caseId}/account-changes/approve`, {}],
    ['question', (_: number, id: number) => `/disbursements/${id}/question`, { text: 'Is this your account?' }],
    ['alarm', (_: number, id: number) => `/disbursements/${id}/alarm`, { text: 'The voice was not hers.' }],
  ] as const;
  for (const [name, addressOf, fields] of actions)
    for (const [acted, spared] of [
      [CASE_1, other],
      [other, CASE_1],
    ] as const) {
      // Another account takes back the approvals, so that all earlier requests can be cancelled.
      await putAccount('000002222');
      const open = `select id::int from disbursement_request where payee_id = $1 and status in ('draft', 'submitted')`;
      for (const { id } of await rowsOf(open, surrogate.userId)) await move(surrogate, id, 'cancel');
      const ids = await approvedForPrevious(2, [CASE_1, other]);
      const idsOf = new Map([
        [CASE_1, ids.slice(0, 2)],
        [other, ids.slice(2)],
      ]);
      for (const path of ['/', '/disbursements?show=mine']) {
        const cards = await readCards(path);
        assert.equal(cards.length, 2, path);
        assert.deepEqual(new Set(cards.map(([caseId]) => caseId)), new Set([CASE_1, other]), path);
        for (const [caseId, { text }] of cards) {
          const linked = [...text.matchAll(/href="\/disbursements\/(\d+)"/g)].map(([, id]) => Number(id));
          assert.deepEqual(new Set(linked), new Set(idsOf.get(caseId)), `the payments of case ${caseId} on ${path}`);
          assert.ok(text.includes('2 payments, $250.00, were approved') && text.includes(`>Case ${caseId}<`), text);
        }
      }
      const card = new Map(await readCards('/')).get(acted) ?? assert.fail();
      const [before, spare] = [await contentOf(acted), await contentOf(spared)];
      const address = idsOf
        .get(acted)
        ?.map((id) => addressOf(acted, id))
        .find((one) => card.text.includes(one));
      const done = await root.fill(card, address ?? assert.fail(card.text), fields);
      assert.equal(done.status, 303, `${name}: ${done.text.slice(0, 500)}`);
      assert.notDeepEqual(await contentOf(acted), before, `${name} in case ${acted}`);
      assert.deepEqual(await contentOf(spared), spare, `${name} in case ${acted} changes nothing of case ${spared}`);
      await api.pool.query('delete from payment_stop');
    }
});

test('[BANK-10] staff who approve ask the payee or raise an alarm on the request page', async () => {
  const id = await bringTo(api, both, 'submitted');
  const page = await root.get(`/disbursements/${id}`);
  assert.match(page.text, /Ask Sarah Lindgren/);
  assert.match(page.text, /sees only that our team is checking the payments/);
  for (let click = 0; click < 2; click += 1) {
    const asked = await root.fill(page, `/disbursements/${id}/question`, { text: 'Is this your account?' });
    assert.equal(asked.location, `/disbursements/${id}?done=question`);
  }
  const { chain_id } = (await surrogate.get(`/api/disbursements/${id}`)).body;
  const { messages } = (await surrogate.get(`/api/messages/${chain_id}`)).body;
  assert.deepEqual(
    messages.data.map(({ message }: { message: string }) => message),
    ['Is this your account?'],
  );
  const raised = await root.fill(page, `/disbursements/${id}/alarm`, { text: 'The voice was not hers.' });
  assert.equal(raised.location, `/disbursements/${id}?done=alarm`);
  const { text } = await root.get(`/disbursements/${id}`);
  assert.deepEqual(
    [heading, 'The voice was not hers.'].filter((words) => !text.includes(words)),
    [],
  );
  assert.doesNotMatch(text, />Approve \$/, 'a button that would be refused is not offered');
  assert.deepEqual(
    (await surrogate.get(`/api/disbursements/${id}`)).body.not_payable.sentence,
    'Our team is checking this payment.',
  );
});
