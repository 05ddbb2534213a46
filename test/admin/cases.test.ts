import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from './start-admin.ts';

const admin = await startAdmin();

test('[Cases] the list holds the cases of an admin, and is narrowed by its address', async () => {
  const escrow = await admin.as('escrow');
  const { text } = await escrow.get('/cases');
  assert.match(text, /href="\/cases\/1"/);
  assert.match(text, /href="\/cases\/2"/);
  assert.doesNotMatch(text, /href="\/cases\/3"/);
  assert.match((await escrow.get('/cases?status=closed')).text, /No case matches/);
  assert.match((await (await admin.as('viewer')).get('/cases')).text, /You are on no case yet/);
});

test('[Server-rendered application 4] a case of others is readable in outline, without its conversations', async () => {
  const page = await (await admin.as('viewer')).get('/cases/1');
  assert.equal(page.status, 200);
  assert.match(page.text, /You are not on the team of this case/);
  assert.doesNotMatch(page.text, /href="\/messages\/\d+"/);
  assert.doesNotMatch(page.text, /href="\/messages\/new/);
});

test('[Cases] a case shows its people with their roles in words', async () => {
  const { text } = await (await admin.as('escrow')).get('/cases/1');
  for (const words of ['Parent One', 'Intended parent', 'Surrogate One', 'Escrow specialist'])
    assert.ok(text.includes(words));
  assert.doesNotMatch(text, />(ip|cm|ip_rep)</);
});
