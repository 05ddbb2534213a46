import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { openDesk } from '../batches/batches-desk.ts';

const { api, surrogate, parent, root, finance, viewer } = await openDesk();
await fundCase(api, CASE_1, 900_000_000);
const PAGE = `/cases/${CASE_1}`;
const benefit = { category: 'Travel', cap: '1,000.00', period: 'case', note: 'Section 4' };
const add = (who: typeof root, fields: Record<string, string> = {}) =>
  who.post(`${PAGE}/benefits`, { ...benefit, ...fields });

test('[decisions 14] staff with edit_benefits enter, change and remove benefits on the case’s page', async () => {
  const added = await add(root);
  assert.deepEqual([added.status, added.location], [303, `${PAGE}?done=benefit`]);
  const shown = (await root.get(PAGE)).text;
  for (const words of ['Contract benefits', '$1,000.00 over the whole case', '$1,000.00 left', 'Section 4'])
    assert.ok(shown.includes(words), words);
  const again = await add(root, { category: 'travel' });
  assert.equal(again.status, 422);
  assert.ok(again.text.includes('There is already a benefit for travel.'));
  // Two words to JavaScript, one to the database.
  assert.equal((await add(root, { category: 'ΟΔΟΣ' })).status, 303);
  const sigma = await add(root, { category: 'οδοσ' });
  assert.equal(sigma.status, 422);
  assert.ok(sigma.text.includes('There is already a benefit for οδοσ.'));
  await root.post(`${PAGE}/benefits/remove`, { category: 'ΟΔΟΣ' });
  await root.post(`${PAGE}/benefits/change`, { ...benefit, cap: '2,500', period: 'month' });
  assert.ok((await root.get(PAGE)).text.includes('$2,500.00 a month'));
  for (const who of [finance, viewer]) assert.equal((await add(who, { category: 'Medical' })).status, 403);
  await root.post(`${PAGE}/benefits/remove`, { category: 'Travel' });
  assert.ok(!(await root.get(PAGE)).text.includes('$2,500.00'));
  const { rows } = await api.pool.query(
    "select action from audit_entry where action ~ 'benefit$' and case_id = $1 order by id",
    [CASE_1],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['case.add_benefit', 'case.add_benefit', 'case.remove_benefit', 'case.change_benefit', 'case.remove_benefit'],
  );
});

test('[decisions 14] who decides reads how far it goes over, and says why', async () => {
  await add(root);
  const both = { maker: surrogate, checker: parent };
  await bringTo(api, both, 'paid', { amount_cents: 75_000 });
  const id = await bringTo(api, both, 'submitted', { amount_cents: 30_000 });
  const path = `/disbursements/${id}`;
  const page = await root.get(path);
  assert.ok(page.text.includes('Travel: $750.00 of $1,000.00 used; this goes $50.00 over.'));
  const refused = await root.fill(page, `${path}/approve`, { reason: ' ' });
  assert.equal(refused.status, 422);
  // Another one is sent meanwhile: what was seen is what is decided.
  await bringTo(api, both, 'submitted', { amount_cents: 100 });
  const changed = await root.fill(page, `${path}/approve`, { reason: 'Agreed' });
  assert.equal(changed.status, 409);
  assert.ok(changed.text.includes('this goes $51.00 over'));
  const done = await root.fill(await root.get(path), `${path}/approve`, { reason: 'The birth was early' });
  assert.equal(done.status, 303);
  const after = (await root.get(path)).text;
  assert.ok(after.includes('The birth was early'));
  assert.equal((await root.post(`/cases/${CASE_2}/benefits`, { ...benefit, cap: '' })).status, 422);
});
