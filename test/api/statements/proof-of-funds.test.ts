import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { moneyWords } from '@case-platform/words/money';
import { CASE_1 } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { startApi } from '../../support/platform.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';

let now = new Date();
const api = await startApi({ now: () => now });
const [parent, surrogate, stranger] = await Promise.all([api.as('parent'), api.as('surrogate'), api.as('bothParent')]);
await fundCase(api, CASE_1, 50_000);
const path = `/api/cases/${CASE_1}/proof-of-funds`;

async function makeProof(): Promise<{ text: string; code: string }> {
  const answer = await fetch(api.baseUrl + path, { headers: { authorization: `Bearer ${parent.token}` } });
  assert.equal(answer.status, 200);
  const name = `attachment; filename="case-${CASE_1}-proof-of-funds-${now.toISOString().slice(0, 10)}.pdf"`;
  assert.equal(answer.headers.get('content-disposition'), name);
  const text = pdfText(Buffer.from(await answer.arrayBuffer()));
  return { text, code: /^(?:[0-9A-Z]{4}-){4}[0-9A-Z]{4}$/m.exec(text)?.[0] ?? '' };
}
/** As on a day on which nobody has made one. */
beforeEach(async () => void (await api.pool.query('delete from proof_of_funds')));
const check = (code: string) => api.anonymous.get(`/api/proof/${encodeURIComponent(code)}`);

test('[decisions 14] a paper with a code that anybody may check for 90 days, and never a name', async () => {
  const { text, code } = await makeProof();
  const { available_cents } = (await parent.get(`/api/cases/${CASE_1}`)).body.balance;
  assert.ok(text.includes(moneyWords(available_cents)));
  const { status, body } = await check(code);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['amount_cents', 'case_id', 'expires_at', 'holds', 'made_at']);
  assert.deepEqual([body.case_id, body.amount_cents, body.holds], [CASE_1, available_cents, true]);
  assert.equal(Date.parse(body.expires_at) - Date.parse(body.made_at), 90 * 86_400_000);
  for (const typed of [code.toLowerCase(), code.replaceAll('-', ' '), code.replaceAll('0', 'o').replaceAll('1', 'l')])
    assert.equal((await check(typed)).status, 200, typed);
});

test('[decisions 14] it no longer holds once less is available, or 90 days are over', async () => {
  const { code } = await makeProof();
  await bringTo(api, { maker: surrogate, checker: parent }, 'approved', { amount_cents: 1 });
  assert.equal((await check(code)).body.holds, false);
  const later = await makeProof();
  assert.equal((await check(later.code)).body.holds, true);
  now = new Date(now.getTime() + 90 * 86_400_000);
  assert.equal((await check(later.code)).body.holds, false);
  now = new Date();
});

test('[decisions 14] it no longer holds once the case has ended', async () => {
  const { code } = await makeProof();
  for (const [status, holds] of [
    ['closing', true],
    ['closed', false],
    ['cancelled', false],
    ['active', true],
  ] as const) {
    await api.pool.query('update case_file set status = $2 where id = $1', [CASE_1, status]);
    assert.equal((await check(code)).body.holds, holds, status);
  }
});

test('[decisions 14] codes are kept as hashes, and others are unknown', async () => {
  const { code } = await makeProof();
  assert.equal((await api.pool.query('select from proof_of_funds')).rowCount, 1);
  assert.deepEqual(await findStoredSecrets(api.pool, { code }), []);
  for (const wrong of ['0000-0000-0000-0000-0000', 'x', `${code}0`]) assert.equal((await check(wrong)).status, 404);
});

test('[decisions 14] codes cannot be guessed: wrong ones of a network count, right ones do not', async () => {
  await api.pool.query("delete from throttle where key like 'proof_code:%'");
  const guarded = await startApi({ limits: { proof_code: 2 }, trustProxy: '127.0.0.1', database: api });
  const { code } = await makeProof();
  const ask = (tried: string, ip: string) =>
    guarded.anonymous.call('GET', `/api/proof/${tried}`, { headers: { 'x-forwarded-for': ip } });
  for (let times = 0; times < 3; times += 1) assert.equal((await ask(code, '2001:db8::1')).status, 200);
  const guesses = ['A', 'B', 'C', 'D'].map((tried, index) => ask(tried, `2001:db8::${index + 1}`));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [404, 404, 429, 429]);
  const refused = await ask(code, '2001:db8::9');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 800);
  assert.equal((await ask(code, '2001:db8:1::1')).status, 200);
});

test('[decisions 14] is made by whoever may see the balance, twenty a day at most', async () => {
  assert.equal((await surrogate.get(path)).status, 403);
  assert.equal((await stranger.get(path)).status, 404);
  for (let made = 0; made < 20; made += 1) await makeProof();
  assert.equal((await parent.get(path)).status, 429);
});
