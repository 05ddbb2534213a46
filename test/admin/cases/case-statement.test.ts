import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { monthWords } from '@case-platform/words/day-words';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { fundCase } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { type Page, startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, escrow, viewer] = await admin.people('root', 'escrow', 'viewer');
const rootApi = await api.as('root');
assert.ok(root && escrow && viewer);

/** Returns the bank's current day, which changes at midnight in New York. */
const bankDay = () => new Date().toLocaleDateString('sv-SE', { timeZone: 'America/New_York' });
const firstDay = bankDay();
const rowsOf = ({ text }: Page) =>
  [...text.matchAll(/<tr[^>]*><td>[\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );
const problemOf = ({ text }: Page) => /id="period-problem"[^>]*>([^<]+)/.exec(text)?.[1];
const file = (caseId: number, query: string, to = bankDay()) => `/cases/${caseId}/statement?from=${firstDay}&to=${to}&${query}`;

describe('the statement on the money page of a case', () => {
  test('[STATEMENT-1] a statement shows what the JSON API shows, oldest first, with the balance after each movement', async () => {
    const caseId = await copyCase(api, CASE_1);
    await fundCase(api, caseId, 100_000);
    await fundCase(api, caseId, 2550);
    const { body } = await rootApi.get(`/api/cases/${caseId}/statement`);
    const page = await root.get(`/cases/${caseId}/money`);
    const isTotal = ([first = '']: string[]) => first.endsWith(' total');
    const rows = rowsOf(page)
      .filter((row) => !isTotal(row))
      .slice(0, body.data.length + 2);
    assert.deepEqual(rowsOf(page).find(isTotal)?.slice(1), ['$1,025.50 in, $0.00 out', '+$1,025.50', '$1,025.50']);
    assert.equal(rows[0]?.[1], 'Opening balance');
    assert.deepEqual(
      rows.slice(1, -1).map((row) => row.slice(2)),
      [
        ['+$1,000.00', '$1,000.00'],
        ['+$25.50', '$1,025.50'],
      ],
    );
    assert.deepEqual(rows.at(-1)?.slice(1), ['Closing balance', '$1,025.50']);
  });

  test('[STATEMENT-2, PAGE-2] a statement covers the requested period; an invalid one is explained at its fields', async () => {
    const caseId = await copyCase(api, CASE_1);
    await fundCase(api, caseId, 100_000);
    const path = `/cases/${caseId}/money`;
    const before = await root.get(`${path}?from=2020-01-01&to=2020-12-31`);
    assert.match(before.text, /No money moved in this period/);
    assert.deepEqual(rowsOf(before)[1]?.slice(1), ['Closing balance', '$0.00']);
    const empty = await root.get(`${path}?from=&to=`);
    assert.equal(rowsOf(empty)[1]?.[2], '+$1,000.00');
    const wrong = await root.get(`${path}?from=2026-02-01&to=2026-01-01`);
    assert.deepEqual([wrong.status, problemOf(wrong)], [200, 'The last day can’t be before the first.']);
    assert.match(wrong.text, /name="from" value="2026-02-01"/);
    assert.match(wrong.text, /Available/, 'the rest of the page stays');
    assert.equal((await root.get(`${path}?from=2026-02-31`)).status, 422);
  });

  test('[STATEMENT-2, STATEMENT-3] people who may see the balance, and no others, get a CSV file and a PDF on Letter or A4', async () => {
    const caseId = await copyCase(api, CASE_1);
    await fundCase(api, caseId, 100_000);
    const lastDay = bankDay();
    const csv = await root.get(file(caseId, 'format=csv', lastDay));
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
    const name = `case-${caseId}-statement-${firstDay}-to-${lastDay}`;
    assert.equal(csv.headers.get('content-disposition'), `attachment; filename="${name}.csv"`);
    assert.match(csv.text, /Opening balance,,,,,0\.00,[\s\S]*,1000\.00,1000\.00,[\s\S]*Closing balance,,,,,1000\.00,/);
    for (const [paper, size] of [
      ['letter', /\/MediaBox \[0 0 612 792\]/],
      ['a4', /\/MediaBox \[0 0 595\.28 841\.89\]/],
    ] as const) {
      const pdf: Page = await root.get(file(caseId, `format=pdf&paper=${paper}`));
      assert.equal(pdf.headers.get('content-type'), 'application/pdf');
      assert.match(pdf.text, size);
      const usual = { 'accept-language': paper === 'a4' ? 'de-DE,de;q=0.9' : 'en-US,en;q=0.9' };
      assert.match((await root.get(file(caseId, 'format=pdf'), usual)).text, size, 'as usual in the reader’s region');
    }
    assert.equal((await viewer.get(file(caseId, 'format=csv'))).status, 404);
    const shows = async (who: typeof root) => (await who.get(`/cases/${caseId}/money`)).text.includes('Opening balance');
    assert.deepEqual([await shows(root), await shows(viewer)], [true, false]);
    assert.equal((await root.get(file(999_999, 'format=csv'))).status, 404);
    assert.equal((await root.get(file(caseId, 'format=exe'))).status, 422);
  });

  test('[PROJECTION-1] the page draws the months ahead and names the first that falls short', async () => {
    const caseId = await copyCase(api, CASE_2);
    await fundCase(api, caseId, 10_000);
    const none = await root.get(`/cases/${caseId}/money`);
    assert.doesNotMatch(none.text, /The months ahead/);
    // This date is in the middle of the twelve drawn months, so it stays among them if midnight passes during the test.
    const { rows } = await api.pool.query(
      `insert into scheduled_payment (case_id, category, description, amount_cents, due_date)
       values ($1, 'Travel', 'Flight', 25000, current_date + interval '6 months')
       returning to_char(due_date, 'YYYY-MM') as month`,
      [caseId],
    );
    const { text } = await root.get(`/cases/${caseId}/money`);
    assert.ok(text.includes(`Short by $150.00 from ${monthWords(rows[0].month)} on`));
    assert.match(text, /<svg class="projection"[\s\S]*class="is-short"/);
    assert.match(text, /−\$250\.00/);
  });
});

test('[PROOF-4] staff of a case see its proofs of funds, and those with the permission withdraw one', async () => {
  await fundCase(api, CASE_1, 100_000);
  const parent = await api.as('parent');
  const { code } = (await parent.post(`/api/cases/${CASE_1}/proofs`, { addressee: 'Sound Clinic' })).body;
  const path = `/cases/${CASE_1}/proofs`;
  const shown = await escrow.get(path);
  for (const words of ['Sound Clinic', 'Issued by Paige Whitlock', 'Holds until', `/proof/${code}"`])
    assert.ok(shown.text.includes(words), words);
  assert.match((await viewer.get(path)).text, /you’re not on its team/, 'the page is closed to others');
  const action = /action="([^"]+\/withdraw)"/.exec(shown.text)?.[1] ?? '';
  assert.equal((await viewer.post(action)).status, 403);
  assert.equal((await escrow.fill(shown, action, {})).location, `${path}?done=withdrawn`);
  assert.equal((await api.anonymous.get(`/api/proof/${code}`)).body.holds, false);
  const again = await escrow.fill(shown, action, {});
  assert.deepEqual([again.status, /already withdrawn/.test(again.text)], [409, true]);
  assert.doesNotMatch(again.text, /\/withdraw"/);

  // Reading the balance is not enough.
  const { id } = (await parent.post(`/api/cases/${CASE_1}/proofs`, { addressee: 'An attorney' })).body;
  const role = `(select admin_role_id from user_account where email_address = 'escrow@demo.test')`;
  await api.pool.query(
    `delete from admin_role_permission where admin_role_id = ${role} and permission in ('edit_case_details', 'make_payments')`,
  );
  const read = await escrow.get(path);
  assert.deepEqual([read.text.includes('An attorney'), read.text.includes('/withdraw"')], [true, false]);
  assert.equal((await (await api.as('escrow')).post(`/api/cases/${CASE_1}/proofs/${id}/withdraw`, {})).status, 403);
});
