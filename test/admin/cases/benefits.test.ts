import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { openDesk } from '../batches/batches-desk.ts';

const { api, surrogate, parent, root, finance, viewer } = await openDesk();
await fundCase(api, CASE_1, 900_000_000);
await api.pool.query('delete from case_benefit');
const PAGE = `/cases/${CASE_1}`;
const benefit = { category: 'Travel', cap: '1,000.00', period: 'case', note: 'Section 4' };
const add = (who: typeof root, fields: Record<string, string> = {}) => who.post(`${PAGE}/benefits`, { ...benefit, ...fields });

test('[CONTRACT-1] staff with edit_benefits enter, change, and remove contract limits on the case’s page', async () => {
  const added = await add(root);
  assert.deepEqual([added.status, added.location], [303, `${PAGE}?done=benefit`]);
  const shown = (await root.get(PAGE)).text;
  for (const words of ['Contract limits', '$1,000.00 over the whole case', '$1,000.00 left', 'Section 4'])
    assert.ok(shown.includes(words), words);
  const again = await add(root, { category: 'travel' });
  assert.equal(again.status, 422);
  assert.ok(again.text.includes('There’s already a contract limit for travel.'));
  // JavaScript lowercases these two spellings differently, but the database treats them as equal.
  assert.equal((await add(root, { category: 'ΟΔΟΣ' })).status, 303);
  const sigma = await add(root, { category: 'οδοσ' });
  assert.equal(sigma.status, 422);
  assert.ok(sigma.text.includes('“οδοσ” looks like “ΟΔΟΣ”.'));
  await root.post(`${PAGE}/benefits/remove`, { category: 'ΟΔΟΣ' });
  await root.post(`${PAGE}/benefits/change`, { ...benefit, cap: '2,500', period: 'month' });
  assert.ok((await root.get(PAGE)).text.includes('$2,500.00 a month'));
  for (const who of [finance, viewer]) assert.equal((await add(who, { category: 'Medical' })).status, 403);
  await root.post(`${PAGE}/benefits/remove`, { category: 'Travel' });
  assert.ok(!(await root.get(PAGE)).text.includes('$2,500.00'));
  const { rows } = await api.pool.query("select action from audit_entry where action ~ 'benefit$' and case_id = $1 order by id", [
    CASE_1,
  ]);
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['case.add_benefit', 'case.add_benefit', 'case.remove_benefit', 'case.change_benefit', 'case.remove_benefit'],
  );
});

test('[CONTRACT-4] a person who decides reads by how much a request exceeds its limit, and says why', async () => {
  await add(root);
  const both = { maker: surrogate, checker: parent };
  await bringTo(api, both, 'paid', { amount_cents: 75_000 });
  const id = await bringTo(api, both, 'submitted', { amount_cents: 30_000 });
  const path = `/disbursements/${id}`;
  const page = await root.get(path);
  assert.ok(page.text.includes('Travel: $750.00 of $1,000.00 used; this goes $50.00 over.'));
  const refused = await root.fill(page, `${path}/approve`, { reason: ' ' });
  assert.equal(refused.status, 422);
  // Another request is sent meanwhile, so the decision no longer matches what the page showed (CONTRACT-4).
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

test('[CATEGORY-1] staff choose a category from the case’s list, for requests and for scheduled payments', async () => {
  await api.pool.query('delete from case_benefit');
  const forms = [`${PAGE}/disbursements/new`, `${PAGE}/money`];
  const actions = [`${PAGE}/disbursements`, `${PAGE}/scheduled-payments`];
  const choicesOf = (text: string) => {
    const [, inside = ''] = /<select[^>]* name="category"[^>]*>([\s\S]*?)<\/select>/.exec(text) ?? [];
    return [...inside.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value);
  };
  for (const path of forms) {
    const { text } = await root.get(path);
    assert.deepEqual(choicesOf(text), ['', 'Other'], path);
    assert.ok(text.includes('Add its contract limits</a> first'), path);
  }
  assert.ok((await root.get(PAGE)).text.includes('No contract limits yet.'));
  await add(root, { category: 'Childcare' });
  for (const [category, words] of [
    ['Childcare.', '“Childcare.” looks like “Childcare”'],
    ['Childc\u0430re', '“\u0430” in “Childc\u0430re” is a letter of another alphabet'],
    ['other', '“other” looks like “Other”'],
  ] as const) {
    const refused = await add(root, { category });
    assert.deepEqual([refused.status, refused.text.includes(words)], [422, true], category);
  }
  for (const path of forms) {
    const { text } = await root.get(path);
    assert.deepEqual(choicesOf(text), ['', 'Childcare', 'Other'], path);
    assert.ok(!text.includes('Add its contract limits</a> first'), path);
  }
  const payee = `surrogate:${surrogate.userId}`;
  const fields = {
    amount: '1',
    category: 'Childc\u0430re',
    description: 'Sitter',
    payee,
    due_date: '2027-01-01',
    payee_id: '',
  };
  for (const path of actions) {
    const refused = await root.post(path, fields);
    assert.equal(refused.status, 422, path);
    assert.ok(refused.text.includes('This isn’t one of the case’s categories.'), path);
    assert.equal((await root.post(path, { ...fields, category: 'Childcare' })).status, 303, path);
  }
});

test('[CATEGORY-1] a person who decides about a request in Other reads that no contract limit covers it', async () => {
  const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted', { category: 'Other' });
  assert.ok((await root.get(`/disbursements/${id}`)).text.includes('No contract limit covers Other.'));
});

test('[CATEGORY-1] staff edit a request without giving up a category that is no longer on the list', async () => {
  await api.pool.query('delete from case_benefit');
  await add(root, { category: 'Travel' });
  const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  await root.post(`${PAGE}/benefits/remove`, { category: 'Travel' });
  const page = await root.get(`/disbursements/${id}/edit`);
  assert.match(page.text, /<option value="Travel" selected>/);
  const fields = { amount: '2.00', description: 'Train', payee: `surrogate:${surrogate.userId}` };
  assert.equal((await root.fill(page, `/disbursements/${id}`, { ...fields, category: 'Travel' })).status, 303);
});
