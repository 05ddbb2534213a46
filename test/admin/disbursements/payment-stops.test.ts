import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1 } from '../../support/cast.ts';
import { bringTo, fundCase, move } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
await fundCase(api, CASE_1, 100_000_000);
const [surrogate, parent] = await Promise.all([api.as('surrogate'), api.as('parent')]);
const [root, escrow, viewer] = await Promise.all([admin.as('root'), admin.as('escrow'), admin.as('viewer')]);
const both = { maker: surrogate, checker: parent };
const stopped = 'All payments to Sarah Lindgren are stopped';

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
    assert.ok(text.includes(stopped), `request ${one}`);
    assert.ok(text.includes(`href="/messages/${chain_id}"`));
  }
  const seenByViewer = await viewer.get(`/disbursements/${id}`);
  assert.ok(!seenByViewer.text.includes('Clear and continue payments'));
  const page = await escrow.get(`/disbursements/${other}`);
  const cleared = await escrow.fill(page, `/disbursements/${other}/clear-payments`, { reason: 'Phoned her' });
  assert.deepEqual([cleared.status, cleared.location], [303, `/disbursements/${other}?done=clear-payments`]);
  const again = await escrow.fill(page, `/disbursements/${other}/clear-payments`, { reason: 'Phoned her' });
  assert.equal(again.status, 409, 'the form of a page that is out of date');
  assert.ok(!(await escrow.get(`/disbursements/${id}`)).text.includes(stopped));
  assert.doesNotMatch((await escrow.get('/')).text, /with stopped payments/);
  assert.equal((await move(parent, id, 'approve')).status, 'approved');
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
    [stopped, 'The voice was not hers.'].filter((words) => !text.includes(words)),
    [],
  );
  assert.doesNotMatch(text, />Approve \$/, 'a button that would be refused is not offered');
  assert.deepEqual(
    (await surrogate.get(`/api/disbursements/${id}`)).body.not_payable.sentence,
    'Our team is checking this payment.',
  );
});
