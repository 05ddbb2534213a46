import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderEmail, withoutLinkedValues } from './render-email.ts';

/** A value in which mail programs would find a link, and one that is meant to be a link. */
const [LINK, OURS] = ['www.evil.example', 'https://ours.example/payments'];
const row = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, LINK]));

test('[EMAIL-12] names are no links, also in the rows of a list, and our own addresses are', () => {
  const values = { name: LINK, count: 2, url: OURS, rows: [{ name: LINK, row_url: OURS }] };
  const broken = { name: LINK.replaceAll('.', '.\u2060'), count: 2, url: OURS };
  assert.deepEqual(withoutLinkedValues(values), { ...broken, rows: [{ name: broken.name, row_url: OURS }] });
});

test('[EMAIL-12] a mail that lists payments has no links of others in any of its rows', async () => {
  const payments = [row(['amount', 'category', 'case_name', 'next'])];
  const moves = [row(['amount', 'payee', 'category', 'case_name', 'day', 'why'])];
  const others = row(['first_name', 'headline', 'sentence', 'more', 'total', 'moved', 'advice']);
  const context = { ...others, payments, moves, url: OURS, subject_line: LINK, unsubscribe_url: null };
  for (const name of ['payments_stopped.html', 'payment_date_moved.html'] as const) {
    const { html, text } = await renderEmail(name, context);
    for (const part of [html, text]) {
      assert.ok(part.includes(OURS) && part.replaceAll('\u2060', '').includes(LINK), name);
      assert.ok(!part.includes(LINK), `${name}: ${part}`);
    }
  }
});
