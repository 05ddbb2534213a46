import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setBrand } from '@case-platform/lib/brand';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { findProofOfFunds, proveFunds } from '@case-platform/modules/banking';
import { moneyWords } from '@case-platform/words/money';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { type Client, quietLog, startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';

let now = new Date();
const api = await startApi({ now: () => now });
const { parent, parent2, surrogate, bothParent: stranger, escrow, root } = await api.everyone();
await fundCase(api, CASE_1, 50_000);
const path = `/api/cases/${CASE_1}/proof-of-funds`;

async function makeProof(): Promise<{ text: string; code: string }> {
  const answer = await fetch(api.baseUrl + path, { headers: { authorization: `Bearer ${parent.token}` } });
  assert.equal(answer.status, 200);
  const name = `attachment; filename="case-${CASE_1}-proof-of-funds-${now.toISOString().slice(0, 10)}.pdf"`;
  assert.equal(answer.headers.get('content-disposition'), name);
  const text = pdfText(Buffer.from(await answer.arrayBuffer()));
  return { text, code: /^(?:[0-9A-Z]{4}-){5,8}[0-9A-Z]{1,4}$/m.exec(text)?.[0] ?? '' };
}
async function parentUser(): Promise<User> {
  const user = await findActiveUserById(api.db, parent.userId);
  assert.ok(user !== null);
  return user;
}
const check = (code: string) => api.anonymous.get(`/api/proof/${encodeURIComponent(code)}`);

test('[PROOF-1] a proof has a code that anyone may check for 90 days, and the check shows no name', async () => {
  const { text, code } = await makeProof();
  const { available_cents } = (await parent.get(`/api/cases/${CASE_1}`)).body.balance;
  assert.ok(text.includes(moneyWords(available_cents)));
  const { status, body } = await check(code);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['amount_cents', 'case_id', 'expires_at', 'holds', 'made_at', 'withdrawn_at']);
  assert.deepEqual([body.case_id, body.amount_cents, body.holds], [CASE_1, available_cents, true]);
  assert.equal(Date.parse(body.expires_at) - Date.parse(body.made_at), 90 * 86_400_000);
  for (const typed of [code.toLowerCase(), code.replaceAll('-', ' '), code.replaceAll('0', 'o').replaceAll('1', 'l')])
    assert.equal((await check(typed)).status, 200, typed);
});

test('[PROOF-1] a proof is no longer valid once less is available or 90 days are over', async () => {
  const { code } = await makeProof();
  await bringTo(api, { maker: surrogate, checker: parent }, 'approved', { amount_cents: 1 });
  assert.equal((await check(code)).body.holds, false);
  const later = await makeProof();
  assert.equal((await check(later.code)).body.holds, true);
  now = new Date(now.getTime() + 90 * 86_400_000);
  assert.equal((await check(later.code)).body.holds, false);
  now = new Date();
});

test('[PROOF-1] a proof from the last minute of a day is valid for 90 days', async () => {
  const context = { db: api.db, encryptionKey: 'a secret of this test' };
  const { code, expires_at } = await proveFunds(context, await parentUser(), CASE_1, new Date('2027-03-10T23:59:00Z'));
  assert.equal(expires_at.toISOString(), '2027-06-08T23:59:00.000Z');
  for (const [moment, holds] of [
    ['2027-06-08T23:58:59.999Z', true],
    ['2027-06-08T23:59:00Z', false],
  ] as const)
    assert.equal((await findProofOfFunds(context, code, new Date(moment)))?.holds, holds, moment);
});

test('[PROOF-2] a read-only transaction can issue and check a proof', async () => {
  const user = await parentUser();
  await api.db.transaction(async (tx) => {
    await query(tx, sql`set transaction read only`);
    const context = { db: tx, encryptionKey: 'a secret of this test' };
    const { code } = await proveFunds(context, user, CASE_1, now);
    assert.equal((await findProofOfFunds(context, code, now))?.holds, true);
  });
});

test('[PROOF-2] two proofs of the same moment have the same code', async () => {
  const [one, other] = await Promise.all([makeProof(), makeProof()]);
  assert.notEqual(one.code, '');
  assert.equal(one.code, other.code);
});

test('[PROOF-1] a proof is no longer valid once the case has ended', async () => {
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

test('[PROOF-2] a proof writes no row, and requesting it again returns the same code', async () => {
  const countRows = async () => {
    const tables = ['audit_entry', 'idempotency_key', 'graphile_worker._private_jobs'];
    const { rows } = await api.pool.query(`select ${tables.map((table) => `(select count(*) from ${table})`).join(' + ')} as n`);
    return rows[0].n;
  };
  const before = await countRows();
  const { code } = await makeProof();
  assert.equal((await makeProof()).code, code);
  assert.equal(await countRows(), before);
});

test('[PROOF-3] a code that is unknown, changed, or shortened reveals nothing', async () => {
  const { code } = await makeProof();
  assert.equal((await check(code)).status, 200);
  const last = code.endsWith('7') ? '8' : '7';
  for (const wrong of ['0000-0000-0000-0000-0000', 'x', `${code}0`, code.slice(0, -1), code.slice(0, -1) + last])
    assert.equal((await check(wrong)).status, 404, wrong);
});

test('[PROOF-3] wrong codes from a network are counted and then rejected, and right ones are not counted', async () => {
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

test('[PROOF-2] a proof is logged with its case, its person, and its request, without its code', async (t) => {
  const info = t.mock.method(quietLog, 'info');
  const { headers } = await parent.get(path);
  const lines = info.mock.calls.map((call) => call.arguments as unknown[]).filter(([, text]) => text === 'proof of funds issued');
  const request_id = headers.get('x-request-id');
  assert.deepEqual(lines, [[{ request_id, case_id: CASE_1, actor_id: parent.userId }, 'proof of funds issued']]);
});

test('[PROOF-2] only people who may see the balance get a proof', async () => {
  await makeProof();
  assert.equal((await surrogate.get(path)).status, 403);
  assert.equal((await stranger.get(path)).status, 404);
});

test('[PROOF-4, PROOF-5] a proof that is issued to someone names them, is listed, and says when it is withdrawn', async () => {
  const proofs = `/api/cases/${CASE_1}/proofs`;
  const issued = await parent.post(proofs, { addressee: ' Sound Fertility\nClinic ' });
  assert.equal(issued.status, 201, JSON.stringify(issued.body));
  const { id, code, addressee, holds, may_withdraw } = issued.body;
  assert.deepEqual([addressee, holds, may_withdraw], ['Sound Fertility Clinic', true, true]);
  const other = (await parent.post(proofs, { addressee: 'An attorney' })).body;
  assert.notEqual(other.code, code, 'two proofs of one minute have two codes');

  const file = () => fetch(`${api.baseUrl}${proofs}/${id}/file`, { headers: { authorization: `Bearer ${parent.token}` } });
  const text = pdfText(Buffer.from(await (await file()).arrayBuffer()));
  for (const words of ['Sound Fertility Clinic', code, 'Case Platform holds the amount']) assert.ok(text.includes(words), words);
  const shown = (await check(code)).body;
  assert.deepEqual([shown.holds, shown.withdrawn_at], [true, null]);
  assert.ok(!JSON.stringify(shown).includes('Sound'), 'its page shows no name');

  const listed = (await parent.get(proofs)).body.data.map((one: { id: number }) => one.id);
  assert.deepEqual(listed.slice(0, 2), [other.id, id]);
  const withdraw = (who: Client) => who.post(`${proofs}/${id}/withdraw`, {});
  const elsewhere = `/api/cases/${CASE_2}/proofs/${id}`;
  const throughAnother = [await root.get(`${elsewhere}/file`), await root.post(`${elsewhere}/withdraw`, {})];
  assert.deepEqual(
    throughAnother.map(({ status }) => status),
    [404, 404],
    'through another case that the reader sees',
  );
  assert.deepEqual([(await withdraw(surrogate)).status, (await withdraw(stranger)).status], [404, 404]);
  assert.equal((await withdraw(parent2)).status, 403, 'another parent did not issue it');
  const attempts = await inOpenTransaction(api.pool, async (holder) => {
    await holder.query('select from proof_of_funds where id = $1 for update', [id]);
    const both = [withdraw(parent), withdraw(escrow)];
    await untilWaiting(api.pool, both);
    await holder.query('commit');
    return Promise.all(both);
  });
  assert.deepEqual(attempts.map(({ status }) => status).toSorted(), [200, 409]);
  const after = (await check(code)).body;
  assert.equal(after.holds, false);
  assert.ok(Date.parse(after.withdrawn_at) > 0);
  assert.equal((await check(other.code)).body.holds, true, 'the other one stays');
  const listedAfter = (await parent.get(proofs)).body.data.filter((one: { id: number }) => [id, other.id].includes(one.id));
  assert.deepEqual(
    listedAfter.map((one: { holds: boolean; may_withdraw: boolean }) => [one.holds, one.may_withdraw]),
    [
      [true, true],
      [false, false],
    ],
  );
  const { rows } = await api.pool.query(
    "select action, after->>'addressee' as issued, before->>'addressee' as withdrawn from audit_entry where action like 'case.%_proof' order by id",
  );
  assert.deepEqual(
    rows.map(({ action, issued: made, withdrawn }) => [action, made ?? withdrawn]),
    [
      ['case.issue_proof', 'Sound Fertility Clinic'],
      ['case.issue_proof', 'An attorney'],
      ['case.withdraw_proof', 'Sound Fertility Clinic'],
    ],
  );
});

test('[PROOF-4] only people who may see the balance issue and list proofs, for someone who is named', async () => {
  const proofs = `/api/cases/${CASE_1}/proofs`;
  for (const [who, status] of [
    [surrogate, 403],
    [stranger, 404],
  ] as const) {
    assert.equal((await who.get(proofs)).status, status);
    assert.equal((await who.post(proofs, { addressee: 'A clinic' })).status, status);
  }
  for (const wrong of ['', ' ', 'x'.repeat(201)]) assert.equal((await parent.post(proofs, { addressee: wrong })).status, 422);
  assert.equal((await parent.get(`/api/cases/${CASE_1}/proofs/999999/file`)).status, 404);
});

test('[PROOF-5] the letter has the letterhead of the settings and a QR code', async () => {
  const before = (await makeProof()).text;
  setBrand({ name: 'Harbor Escrow', address: ['12 Pier Road', 'Portland, ME'], license: 'License 1234', logo: null });
  const { text } = await makeProof();
  setBrand(undefined);
  assert.match(before, /^Case Platform$/m);
  for (const words of ['Harbor Escrow', '12 Pier Road', 'Portland, ME', 'License 1234', 'Scan the code with a phone'])
    assert.ok(text.includes(words), words);
});

test('[PROOF-5] every proof is on the paper of its reader’s country, or on one that they choose', async (t) => {
  const issued = (await parent.post(`/api/cases/${CASE_1}/proofs`, { addressee: 'A clinic abroad' })).body;
  const madeOn = now.toISOString().slice(0, 10);
  now = new Date(now.getTime() + 2 * 86_400_000);
  t.after(() => {
    now = new Date();
  });
  const { token } = await api.as('parent');
  for (const [file, day] of [
    [path, now.toISOString().slice(0, 10)],
    [`/api/cases/${CASE_1}/proofs/${issued.id}/file`, madeOn],
  ] as const)
    for (const [language, choice, width] of [
      ['de-DE,de;q=0.9', '', '595.28'],
      ['en-US', '', '612'],
      ['de-DE', '?paper=letter', '612'],
      ['en-US', '?paper=a4', '595.28'],
    ] as const) {
      const headers = { authorization: `Bearer ${token}`, 'accept-language': language };
      const answer = await fetch(api.baseUrl + file + choice, { headers });
      const [, shown] = /MediaBox \[0 0 ([\d.]+) /.exec(Buffer.from(await answer.arrayBuffer()).toString('latin1')) ?? [];
      assert.equal(shown, width, `${file}${choice} in ${language}`);
      assert.ok(answer.headers.get('content-disposition')?.endsWith(`-proof-of-funds-${day}.pdf"`), file);
    }
});
