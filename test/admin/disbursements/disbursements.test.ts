import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exactTimeWords } from '@case-platform/words/times';
import { PREFERENCE_COOKIES } from '../../../apps/admin/page/preferences.ts';
import { CASE_1, CASE_3, CAST } from '../../support/cast.ts';
import { asBank, BANK, bringTo, draft, fundCase, move } from '../../support/money.ts';
import { HOLDER, openDesk, problemOf } from '../batches/batches-desk.ts';

const desk = await openDesk();
const { api, surrogate, parent, root, finance, escrow, viewer, putAccount, approved, statusOf } = desk;
await putAccount(surrogate);
const FORM = { amount: '1,250.50', category: 'Travel', description: 'Train and hotel', payee: '' };
const { rows: people } = await api.pool.query("select id from user_account where email_address = 'surrogate@demo.test'");
const SURROGATE = `surrogate:${people[0].id}`;
const countRequests = async () => (await api.pool.query('select count(*)::int as count from disbursement_request')).rows[0].count;
const sent = () => bringTo(api, { maker: surrogate, checker: parent }, 'submitted');

/** Returns a text as a page must escape it. */
const escaped = (text: string) => text.replaceAll(/["&'<=>`]/g, (mark) => `&#${mark.charCodeAt(0)};`);

describe('the list of requests', () => {
  test('[REQUEST-17, REQUEST-21] the list shows staff with view_drs what is requested, by state, case, category, and words', async () => {
    const train = await draft(surrogate, { description: 'Train to the first scan', category: 'Medical' });
    const vitamins = await draft(surrogate, { description: 'Vitamins of March', category: 'Medical' });
    await move(surrogate, vitamins.id, 'submit');
    const linksOf = async (query: string) => {
      const { status, text } = await escrow.get(`/disbursements${query}`);
      assert.equal(status, 200, query);
      return [train.id, vitamins.id].map((id) => text.includes(`href="/disbursements/${id}"`));
    };
    assert.deepEqual(await linksOf(''), [true, true]);
    assert.deepEqual(await linksOf('?status=draft'), [true, false]);
    assert.deepEqual(await linksOf(`?case_id=${CASE_1}&category=medical`), [false, true]);
    assert.deepEqual(await linksOf(`?case_id=${CASE_3}`), [false, false]);
    assert.deepEqual(await linksOf('?q=vitamins+lindgren'), [false, true]);
    assert.deepEqual(await linksOf('?q=train'), [false, false], 'the draft of another person');
    assert.deepEqual(await linksOf('?show=mine'), [false, false]);
    assert.doesNotMatch((await finance.get('/disbursements')).text, /Vitamins of March|Lindgren’s draft/);
  });

  test('[API-2] an unknown state, cursor or case is a 422; a category is searched within a case', async () => {
    for (const query of ['status=gone', 'show=x', 'cursor=x', 'case_id=0', 'category=Travel'])
      assert.equal((await escrow.get(`/disbursements?${query}`)).status, 422, query);
  });

  test('[API-1] pages of the list follow each other without a gap', async () => {
    for (let at = 0; at < 26; at += 1) await draft(surrogate, { description: `Ticket ${at}` });
    const seen: string[] = [];
    let path: string | undefined = '/disbursements?status=draft';
    while (path !== undefined && seen.length < 1000) {
      const { text } = await escrow.get(path);
      seen.push(...[...text.matchAll(/cell-wide"><a class="link" href="\/disbursements\/(\d+)"/g)].map(([, id]) => id ?? ''));
      path = /rel="next" href="([^"]+)"/
        .exec(text)?.[1]
        ?.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
    }
    const { rows } = await api.pool.query("select id from disbursement_request where status = 'draft' order by id desc");
    assert.deepEqual(
      seen.map(Number),
      rows.map(({ id }) => id),
    );
  });

  test('[SHOWN-1] an admin who may not see requests is told so, and sees none', async () => {
    const id = await sent();
    for (const path of ['/disbursements', `/disbursements/${id}`]) {
      const page = await viewer.get(path);
      assert.equal(page.status, 200);
      assert.match(page.text, /Your role can’t see requests. Someone who manages roles can change that/);
      assert.doesNotMatch(page.text, /Train to the clinic/);
      assert.match((await root.get(path)).text, /Train to the clinic/);
    }
    assert.doesNotMatch((await viewer.get('/')).text, /href="\/disbursements"/);
    assert.match((await finance.get('/')).text, /href="\/disbursements"/);
  });
});

describe('a request on its page', () => {
  test('[REQUEST-14, REQUEST-15] a request shows its life, its ledger, its batch, and whom it waits for', async () => {
    const id = await approved();
    const early = await escrow.get(`/disbursements/${id}`);
    assert.match(early.text, /Waiting for our payments team to send it to the bank/);
    assert.match(early.text, /Set aside[\s\S]*Available[\s\S]*Set aside/);
    assert.match(early.text, /Written, by Sarah Lindgren/);
    assert.match(early.text, /Approved, by Paige Whitlock/);
    const made = await finance.post('/batches', { disbursement_ids: String(id) });
    const batch = made.location?.split('?')[0] ?? '';
    assert.ok((await finance.get(`/disbursements/${id}`)).text.includes(`href="${batch}"`));
    await asBank(api, (tx) => BANK.pay(tx, id));
    await asBank(api, (tx) => BANK.return(tx, id));
    const late = (await root.get(`/disbursements/${id}`)).text;
    assert.match(late, /R01/);
    for (const movement of ['Set aside', 'Paid out', 'Returned']) assert.ok(late.includes(movement), movement);
  });

  test('[REQUEST-14] the time since when a request waits is shown in the reader’s time zone: in the list, on its page, and on its case', async () => {
    const id = await sent();
    const { waiting_since } = (await parent.get(`/api/disbursements/${id}`)).body;
    escrow.cookies.set(PREFERENCE_COOKIES.zone, 'Pacific/Kiritimati');
    const exact = exactTimeWords(waiting_since, { zone: 'Pacific/Kiritimati' });
    for (const path of ['/disbursements', `/disbursements/${id}`, `/cases/${CASE_1}`]) {
      const { text } = await escrow.get(path);
      const since = `Waiting for Paige Whitlock to approve it since <time datetime="${waiting_since}" title="${exact}"`;
      assert.ok(text.includes(since), path);
    }
    escrow.cookies.delete(PREFERENCE_COOKIES.zone);
  });

  test('[BANK-5, PAGE-8] the last four digits of the account are for those with view_bank_accounts, and names are never markup', async () => {
    const id = await sent();
    const [open, closed] = [await root.get(`/disbursements/${id}`), await viewer.get(`/disbursements/${id}`)];
    assert.ok(open.text.includes('1234') && open.text.includes(escaped(HOLDER)), 'the holder, escaped');
    assert.ok(!open.text.includes('<b>Sam</b>'));
    assert.ok(!closed.text.includes(escaped(HOLDER)));
    assert.ok(!(await finance.get(`/disbursements/${id}`)).text.includes(escaped(HOLDER)));
  });

  test('[ERROR-2] unknown and impossible ids are a 404', async () => {
    for (const id of ['999999', '0', 'x', '9'.repeat(30)]) assert.equal((await root.get(`/disbursements/${id}`)).status, 404, id);
    assert.equal((await root.get(`/disbursements/${await sent()}`)).status, 200);
  });
});

describe('deciding', () => {
  test('[REQUEST-6] staff with approve_drs approve a request once, and the second person sees that it is decided', async () => {
    const id = await sent();
    const page = await root.get(`/disbursements/${id}`);
    assert.match(page.text, /Approve \$125\.00/);
    const approve = () => root.fill(page, `/disbursements/${id}/approve`);
    const all = await Promise.all(Array.from({ length: 5 }, approve));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, 409, 409, 409, 409]);
    const late = all.find(({ status }) => status === 409);
    assert.equal(late && problemOf(late), 'This request is approved, so you can’t do this now.');
    assert.equal(await statusOf(id), 'approved');
  });

  test('[REQUEST-9] a form decides about what its page showed: a request that changed since is shown again', async () => {
    const id = await sent();
    const page = await root.get(`/disbursements/${id}`);
    await api.pool.query('update disbursement_request set amount_cents = 55555 where id = $1', [id]);
    for (const step of ['approve', 'deny']) {
      const refused = await root.fill(page, `/disbursements/${id}/${step}`, { reason: 'No' });
      assert.equal(refused.status, 409);
      assert.match(problemOf(refused), /^This request changed after you opened it/);
      assert.match(refused.text, /Approve \$555\.55/);
      assert.equal((await root.post(`/disbursements/${id}/${step}`, { reason: 'No' })).status, 422, 'no version');
    }
    assert.equal(await statusOf(id), 'submitted');
    assert.equal((await root.fill(await root.get(`/disbursements/${id}`), `/disbursements/${id}/approve`)).status, 303);
  });

  test('[REQUEST-16] a request that is submitted again says how it differs, where it is decided and in its history', async () => {
    const id = await sent();
    const said = async () => (await root.get(`/disbursements/${id}`)).text.match(/from \$125\.00 to \$455\.00/g)?.length ?? 0;
    const edited = await escrow.post(`/disbursements/${id}`, { ...FORM, amount: '455', payee: SURROGATE });
    assert.equal(edited.status, 303, problemOf(edited));
    assert.equal(await said(), 0, 'a draft');
    await move(surrogate, id, 'submit');
    assert.equal(await said(), 2);
    await move(parent, id, 'approve');
    assert.equal(await said(), 1, 'only in its history');
  });

  test('[REQUEST-7] denying requires a reason, which everyone then reads', async () => {
    const id = await sent();
    const page = await root.get(`/disbursements/${id}`);
    const refused = await root.fill(page, `/disbursements/${id}/deny`, { reason: ' ' });
    assert.deepEqual([refused.status, problemOf(refused)], [422, 'Fill in the reason.']);
    assert.equal((await root.fill(page, `/disbursements/${id}/deny`, { reason: 'The <b>receipt</b> is missing' })).status, 303);
    const { text } = await root.get(`/disbursements/${id}`);
    assert.ok(text.includes(escaped('The <b>receipt</b> is missing')));
    assert.equal(await statusOf(id), 'denied');
  });

  test('[GUARD-4] without the permission, or off the case, nothing happens', async () => {
    const id = await sent();
    for (const who of [viewer, finance])
      for (const step of ['approve', 'deny', 'cancel', 'submit'])
        assert.equal((await who.post(`/disbursements/${id}/${step}`, { reason: 'x', version: 'x' })).status, 403, step);
    assert.equal((await escrow.post(`/disbursements/${id}/approve`, { version: 'x' })).status, 403);
    assert.equal((await viewer.post(`/disbursements/${id}`, { ...FORM, payee: SURROGATE })).status, 403);
    await fundCase(api, CASE_3, 100_000);
    const { rows } = await api.pool.query(
      `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
       select $1, 100, 'Travel', 'Bus', u.id, u.id from user_account u where u.email_address = $2 returning id`,
      [CASE_3, CAST.totp.email_address],
    );
    for (const step of ['submit', 'cancel'])
      assert.equal((await escrow.post(`/disbursements/${rows[0].id}/${step}`, {})).status, 403, step);
    assert.equal(await statusOf(id), 'submitted');
    assert.equal((await root.fill(await root.get(`/disbursements/${id}`), `/disbursements/${id}/approve`)).status, 303);
    assert.equal(await statusOf(id), 'approved');
  });
});

describe('writing for someone else', () => {
  test('[REQUEST-4, REQUEST-5] staff with create_drs write a draft, submit it, and do not decide about it', async () => {
    const form = await escrow.get(`/cases/${CASE_1}/disbursements/new`);
    assert.equal(form.status, 200);
    assert.match(form.text, /data-request="\d+-new-1"/, 'what is typed is kept for one person');
    const fields = { ...FORM, payee: SURROGATE, idempotency_key: 'twice' };
    const twice = [
      await escrow.post(`/cases/${CASE_1}/disbursements`, fields),
      await escrow.post(`/cases/${CASE_1}/disbursements`, fields),
    ];
    assert.deepEqual(
      twice.map(({ status }) => status),
      [303, 303],
    );
    assert.equal(twice[0]?.location, twice[1]?.location);
    const path = twice[0]?.location?.split('?')[0] ?? '';
    assert.equal((await escrow.post(`${path}/submit`, {})).status, 303);
    assert.doesNotMatch((await escrow.get(path)).text, /Approve \$1,250\.50/);
    assert.equal((await escrow.post(`${path}/approve`, { version: 'x' })).status, 403);
    assert.equal((await root.fill(await root.get(path), `${path}/approve`)).status, 303);
    const [made] = (
      await api.pool.query('select amount_cents::int, status from disbursement_request where id = $1', [path.split('/')[2]])
    ).rows;
    assert.deepEqual(made, { amount_cents: 125_050, status: 'approved' });
  });

  test('[PAGE-2, ACCOUNT-4] an invalid amount or payee, and a formula, is rejected, and the form keeps its words', async () => {
    const before = await countRequests();
    const wrong = [
      ...['-1', '0', '0.001', '1e3', '100,000,000', ''].map((amount) => ({ amount })),
      { payee: '' },
      { payee: 'admin:1' },
      { category: '=HYPERLINK("http://x.test")' },
      { category: '' },
    ];
    for (const part of wrong) {
      const refused = await escrow.post(`/cases/${CASE_1}/disbursements`, { ...FORM, payee: SURROGATE, ...part });
      assert.ok([404, 422].includes(refused.status), `${JSON.stringify(part)}: ${refused.status}`);
      if (refused.status === 422) assert.match(refused.text, /Train and hotel|HYPERLINK/);
    }
    for (const who of [viewer, finance])
      assert.equal((await who.post(`/cases/${CASE_1}/disbursements`, { ...FORM, payee: SURROGATE })).status, 403);
    assert.equal(await countRequests(), before);
  });

  test('[REQUEST-8] a changed amount makes a submitted request a draft again', async () => {
    const id = await sent();
    const form = await escrow.get(`/disbursements/${id}/edit`);
    assert.match(form.text, /value="125\.00"/);
    const saved = await escrow.post(`/disbursements/${id}`, { ...FORM, amount: '99.9', payee: SURROGATE });
    assert.equal(saved.status, 303, problemOf(saved));
    const now = (await surrogate.get(`/api/disbursements/${id}`)).body;
    assert.deepEqual([now.status, now.amount_cents], ['draft', 9_990]);
    assert.equal((await escrow.post(`/disbursements/${id}/cancel`, {})).status, 303);
    assert.equal((await escrow.post(`/disbursements/${id}`, { ...FORM, payee: SURROGATE })).status, 409);
  });
});

test('[FUNDS-3] staff see that a request is not covered before they approve it, and what it waits for when rejected', async () => {
  const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted', { amount_cents: 9_000_000_01 });
  const path = `/disbursements/${id}`;
  const page = await root.get(path);
  const words = 'Not covered: the case has less than this available. It can be approved once a deposit has arrived.';
  assert.ok(page.text.includes(words));
  for (const list of ['/disbursements?status=submitted', '/disbursements'])
    assert.match((await escrow.get(list)).text, />Not covered</);
  const refused = await root.fill(page, `${path}/approve`);
  assert.equal(refused.status, 409);
  assert.match(problemOf(refused), /doesn’t have enough available for this, so it isn’t approved/);
  await fundCase(api, CASE_1, 9_000_000_00);
  assert.ok(!(await escrow.get(path)).text.includes('Not covered'));
  await move(surrogate, id, 'cancel');
});
