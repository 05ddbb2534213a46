import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { addCategories } from '../../support/categories.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();
const { surrogate, escrow } = await api.everyone();
const SAME = { pass_hash: DEMO_PASSWORD };
/** Looks like "Rent" but has invisible characters. It is sent in every field below. */
const DISGUISED = '\u202ERe\u200Bn\u2066t\u00AD\uFEFF';
const account = { routing_number: '021000021', account_number: '123456789', account_kind: 'checking' };
const json = (method: string, path: string, body: object) =>
  surrogate.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');

test('[ACCOUNT-3] invisible characters are removed from every text: names, subjects, messages, requests, file names', async () => {
  const me = await json('PATCH', '/api/user/me', { first_name: DISGUISED, last_name: `${DISGUISED}\n${DISGUISED}` });
  assert.deepEqual([me.body.first_name, me.body.last_name], ['Rent', 'Rent Rent']);
  const bank = await json('PUT', '/api/user/me/bank-account', { ...account, ...SAME, holder_name: DISGUISED });
  assert.equal(bank.body.holder_name, 'Rent');
  const answer = await surrogate.form(
    '/api/messages',
    { message: `${DISGUISED}\n${DISGUISED}`, subject: DISGUISED, case_id: String(CASE_1) },
    [{ name: 'fdp\u202E\u200Bexe.pdf', type: 'application/pdf', content: PDF }],
  );
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const { chain, message } = answer.body;
  assert.deepEqual([chain.subject, message.message, message.files[0].filename], ['Rent', 'Rent\nRent', 'fdpexe.pdf']);
  const noted = await escrow.post(`/api/messages/${chain.id}/notes`, { note: DISGUISED });
  assert.equal(noted.body.note ?? noted.body.text, 'Rent', JSON.stringify(noted.body));
  await addCategories(api.pool, [1], ['Rent']);
  const request = { amount_cents: 100, category: DISGUISED, description: `${DISGUISED}\n${DISGUISED}` };
  const made = await surrogate.post(`/api/cases/${CASE_1}/disbursements`, request);
  assert.deepEqual([made.body.category, made.body.description], ['Rent', 'Rent\nRent'], JSON.stringify(made.body));
});

test('[ACCOUNT-3] a text without a visible character is empty, and rejected at its field', async () => {
  const nothing = '\u200B\u2060\u202E\u3164';
  const name = await json('PATCH', '/api/user/me', { first_name: nothing });
  assert.deepEqual([name.status, name.body.errors[0].field], [422, 'first_name']);
  const message = await surrogate.form('/api/messages', { message: nothing, case_id: String(CASE_1) });
  assert.deepEqual([message.status, message.body.errors[0].field], [422, 'message']);
});

test('[ACCOUNT-4] a holder or a name that becomes a formula is rejected, in any characters', async () => {
  for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '−', '–', '\u200B=', '\t=', '🧡=', '\u0301=', '☃＋'])
    for (const holder_name of [`${sign}cmd()`, ` ${sign}cmd()`]) {
      const bank = await json('PUT', '/api/user/me/bank-account', { ...account, ...SAME, holder_name });
      assert.deepEqual([bank.status, bank.body.errors?.[0].field], [422, 'holder_name'], holder_name);
    }
  for (const first_name of ['=cmd()', '＝cmd()', '\u202E@cmd']) {
    const named = await json('PATCH', '/api/user/me', { first_name });
    assert.deepEqual([named.status, named.body.errors?.[0].field], [422, 'first_name'], first_name);
  }
  const plain = await json('PUT', '/api/user/me/bank-account', {
    ...account,
    ...SAME,
    holder_name: 'Anne-Marie O’Neil + Co',
  });
  assert.equal(plain.status, 200);
});
