import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { afterReturn, reasonInWords } from '@case-platform/words/bank-reasons';
import { type DisbursementStep, disbursementStepInWords } from '@case-platform/words/disbursement-states';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { eventually } from '../../support/eventually.ts';
import { alive } from '../alive.ts';
import { bringToBank, confirmFile, makeFile, sendBack, sendForm, settle, signAndSend } from './bank-steps.ts';
import {
  adminUrl,
  allPages,
  CASE,
  CENTS,
  caseShows,
  coolOff,
  decisionOf,
  desk,
  escrow,
  everybody,
  finance,
  isAtWork,
  isListed,
  isShownAs,
  isTold,
  mayBeBatched,
  ofSurrogate,
  owner,
  parent,
  parentsCase,
  payee,
  pool,
  readBalance,
  readBankDate,
  readsAtHome,
  request,
  returnedAt,
  row,
  surrogate,
  webUrl,
} from './dollar-walk.ts';
import { keepPicture } from './picture.ts';
import { says, seen } from './seen.ts';
import { readStatement } from './statement-reading.ts';

/** Follows one payment of $127.43 from a receipt on a phone to the bank, back, and to both statements, as each role sees it. */

const AMOUNT = moneyWords(CENTS);
/** The contract limit for parking and taxis. */
const CAP_CENTS = 50_000;
const began = await readBalance();

describe('asked for', () => {
  test('[PAYMENT-2, CONTRACT-3] the surrogate sees what is left while typing, adds a receipt, and submits it', async () => {
    const fields = { category: 'Parking and taxis', cap: '500' };
    await sendForm(escrow, adminUrl + CASE, { action: `${CASE}/benefits`, fields });
    await surrogate.goto(`${webUrl}/disbursements/new?case_id=1`);
    await (await alive(surrogate.getByRole('radio', { name: 'Parking and taxis' }))).check();
    await surrogate.locator('form [name="amount"]').fill('127.43');
    await says(surrogate.locator('form [role="status"]'), moneyWords(CAP_CENTS - CENTS));
    await surrogate.locator('form [name="description"]').fill('Taxi to the clinic and back');
    const receipt = { name: 'Taxi.pdf', mimeType: 'application/pdf', buffer: samplePdf('Taxi 127.43') };
    await surrogate.getByLabel('Choose a receipt', { exact: true }).setInputFiles(receipt);
    await keepPicture(surrogate, 'asked');
    await surrogate.getByRole('button', { name: `Send ${AMOUNT} to` }).click();
    await surrogate.waitForURL(/\/disbursements\/\d+$/);
    request.path = new URL(surrogate.url()).pathname;
    request.id = Number(request.path.split('/')[2]);
    await surrogate.getByRole('link', { name: 'Taxi.pdf' }).waitFor();
    await isShownAs('submitted', surrogate);
    await ofSurrogate.goto(webUrl + request.path);
    await surrogate.goto(`${webUrl}/`);
    await isListed('submitted', surrogate);
  });

  test('[PAYMENT-2] the parent finds it at home, with its receipt and what the contract allows', async () => {
    const decision = decisionOf(parent);
    for (const words of [AMOUNT, payee, `${moneyWords(CAP_CENTS)} left`]) await says(decision, words);
    await decision.scrollIntoViewIfNeeded();
    await keepPicture(parent, 'decision');
    const href = await decision.getByRole('link', { name: /Taxi\.pdf/ }).getAttribute('href');
    const file = await fetch(href ?? '');
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'application/pdf']);
  });

  test('[PAYMENT-2] the agency owner sees whom it waits for, and cannot decide', async () => {
    await isListed('submitted', owner);
    assert.equal(await owner.getByRole('button', { name: /^Approve/ }).count(), 0);
  });

  test('[PAYMENT-2] the escrow specialist sees it, and finance cannot pay it yet', async () => {
    await isAtWork('submitted');
    assert.equal(await mayBeBatched(), undefined);
  });
});

describe('approved', () => {
  test('[PAYMENT-2, FUNDS-1] the parent approves it at home, and the case reserves the money', async () => {
    await decisionOf(parent)
      .getByRole('button', { name: /^Approve/ })
      .click();
    await says(decisionOf(parent), /Approved\./);
    await isListed('approved', parent);
    await caseShows(began.available_cents - CENTS);
    await caseShows(began.held_cents + CENTS);
  });

  test('[PAYMENT-2] surrogate and agency owner see the approval without a reload', async () => {
    await isListed('approved', surrogate, owner);
    await isShownAs('approved');
  });

  test('[PAYMENT-2] finance may put it into a batch, and the escrow specialist sees it as approved', async () => {
    assert.equal(await mayBeBatched(), true);
    await isAtWork('approved');
  });
});

describe('at the bank', () => {
  let batch = '';
  before(async () => {
    batch = await bringToBank(desk, request.id);
  });

  test('[PAYMENT-2] surrogate, parent, and agency owner see the day on which it arrives', async () => {
    await isListed('batched', ...everybody);
    const day = await readBankDate();
    for (const page of everybody) await seen(row(page).locator(`time[datetime="${day}"]`)).waitFor();
    await isShownAs('batched');
    await keepPicture(surrogate, 'at-the-bank');
    await isTold('payment_on_its_way');
  });

  test('[PAYMENT-2, BATCH-3] the escrow specialist sees it, and finance cannot settle a batch that finance made', async () => {
    await isAtWork('batched');
    await finance.goto(adminUrl + batch);
    assert.equal(await finance.locator(`form[action="${batch}/settle"]`).count(), 0);
  });

  test('[PAYMENT-2] once it is settled, everyone sees it as paid', async () => {
    await settle(desk, batch);
    for (const page of everybody) await seen(row(page).filter({ hasText: 'Arrived' })).waitFor();
    await isShownAs('paid');
    await caseShows(began.paid_cents + CENTS);
    await isTold('payment_on_its_way', 'payment_arrived');
  });
});

describe('sent back', () => {
  const REASON = reasonInWords('R03');
  const next = (whose: string | null) => afterReturn('R03', { payee: whose, hasOtherAccount: false }).what_to_do;
  before(() => sendBack(desk, request.id));

  test('[PAYMENT-2, RETURN-7] the surrogate reads at home why it came back and what to do, and gets there with one tap', async () => {
    await says(returnedAt(surrogate).filter({ hasText: REASON }), next(null));
    await keepPicture(surrogate, 'sent-back');
    await says(ofSurrogate.locator('main:has(.notice [href$="#conversation"])'), next(null));
    await isTold('payment_on_its_way', 'payment_arrived', 'payment_returned');
    await seen(returnedAt(surrogate).locator('a[href="/profile#bank-account"]')).click();
    await surrogate.waitForURL('**/profile#bank-account');
  });

  test('[PAYMENT-2, RETURN-7] parent and agency owner read who does what, and the case has its money back', async () => {
    await says(returnedAt(parent).filter({ hasText: REASON }), next(payee));
    await readsAtHome(owner, next(payee));
    await caseShows(began.available_cents);
  });

  test('[PAYMENT-2] the escrow specialist sees it as a task that waits for the payee', async () => {
    await escrow.goto(`${adminUrl}/`);
    const task = escrow.locator(`section[aria-labelledby="sent-back"] a[href="${request.path}"]`);
    await says(task.filter({ hasText: REASON }), AMOUNT);
    await says(task.locator('.state-pill'), payee);
    await keepPicture(escrow, 'task');
    await isAtWork('returned');
    const retry = escrow.locator(`form[action="${request.path}/retry"]`);
    assert.equal(await retry.count(), 0, 'the same account would send it back again');
  });

  test('[PAYMENT-2] finance reads in the batch that one of its payments came back', async () => {
    const query = 'select batch_id from banking_batch_entry where disbursement_id = $1';
    const { rows } = await pool.query(query, [request.id]);
    await finance.goto(`${adminUrl}/batches/${rows[0].batch_id}`);
    const note = finance.getByRole('note').filter({ has: finance.locator(`a[href="${request.path}"]`) });
    await says(note, REASON);
    await keepPicture(finance, 'batch');
  });
});

describe('corrected and paid again', () => {
  test('[PAYMENT-2, BANK-1] the surrogate enters another account, which waits 48 hours', async () => {
    const panel = surrogate.locator('#bank-account');
    await (await alive(panel.locator('button').last())).click();
    await panel.locator('[name="routing_number"]').fill('121042882');
    for (const name of ['account_number', 'again']) await panel.locator(`[name="${name}"]`).fill('000450099');
    await panel.locator('button[type="submit"]').click();
    // The form first lists the payments that the change stops, and saves when it is sent again.
    await seen(panel.locator('[type="checkbox"]')).waitFor();
    await panel.locator('button[type="submit"]').click();
    await seen(panel.locator('time')).waitFor();
    await keepPicture(surrogate, 'corrected');
    await surrogate.goto(`${webUrl}/`);
    await says(returnedAt(surrogate), afterReturn('R03', { payee: null, hasOtherAccount: true }).what_to_do);
  });

  test('[PAYMENT-2, RETRY-1] the escrow specialist pays it again; everyone sees it on its way', async () => {
    await isAtWork('returned');
    await keepPicture(escrow, 'pay-again');
    await sendForm(escrow, adminUrl + request.path, { action: `${request.path}/retry` });
    await isListed('approved', ...everybody);
    await isShownAs('approved');
  });

  test('[PAYMENT-2] finance picks it up once the account may be paid, and it is paid', async () => {
    assert.equal(await mayBeBatched(), false, 'it cools off');
    await coolOff();
    assert.equal(await mayBeBatched(), true);
    const [batch, arrived] = [await makeFile(desk, request.id), ['payment_on_its_way', 'payment_arrived']];
    await signAndSend(desk, batch);
    await confirmFile(desk, batch);
    await isListed('batched', ...everybody);
    await isTold(...arrived, 'payment_returned', 'payment_on_its_way');
    await settle(desk, batch);
    await isShownAs('paid');
    await isTold(...arrived, 'payment_returned', ...arrived);
  });

  test('[PAYMENT-2, REQUEST-15] its page shows the whole timeline to the surrogate and to the parent', async () => {
    const ways: DisbursementStep[] = ['batched', 'sent', 'paid'];
    const steps: DisbursementStep[] = ['created', 'submitted', 'approved', ...ways, 'returned', 'retried', ...ways];
    const story = String(steps.toReversed().map((step) => disbursementStepInWords(step).words));
    await parentsCase.goto(webUrl + request.path);
    for (const page of [ofSurrogate, parentsCase]) {
      const items = page.locator('.timeline-item > p:first-child').filter({ visible: true });
      await eventually('the timeline is complete', async () => String(await items.allTextContents()) === story);
    }
    await keepPicture(ofSurrogate, 'story');
  });
});

describe('on both statements', () => {
  const [out, back] = [signedMoneyWords(-CENTS), signedMoneyWords(CENTS)];

  for (const [name, page, address] of [
    ['the parent', parent, `${webUrl}${CASE}/statement`],
    ['the escrow specialist', escrow, `${adminUrl}${CASE}/money`],
  ] as const) {
    test(`[PAYMENT-2, STATEMENT-1] ${name} sees it paid, returned, and paid again on the case’s statement, to the cent`, async () => {
      const { lines, csv, pdf } = await readStatement(page, address, request.id);
      assert.deepEqual(
        lines.map(([amount]) => amount),
        [out, back, out],
      );
      const decimals = (CENTS / 100).toFixed(2);
      assert.deepEqual(
        csv.map(([amount]) => amount),
        [`-${decimals}`, decimals, `-${decimals}`],
      );
      // The page, the CSV, and the PDF show the same balance after each line.
      const balances = lines.map(([, balance = '']) => balance);
      assert.deepEqual(
        csv.map(([, after]) => moneyWords(Math.round(Number(after) * 100))),
        balances,
      );
      for (const words of [out, back, ...balances]) assert.ok(pdf.includes(words), words);
      const now = await readBalance();
      assert.equal(now.paid_cents, began.paid_cents + CENTS, 'it is paid once');
      if (page === parent) await keepPicture(parent, 'statement');
    });
  }

  test('[PAYMENT-2, STATEMENT-5] the surrogate sees the returned and the repeated payment, and only the second is in the total', async () => {
    const { lines, figures, csv, pdf } = await readStatement(surrogate, `${webUrl}/payments`, request.id);
    assert.deepEqual(lines, [[AMOUNT], [AMOUNT]]);
    assert.deepEqual(csv, [
      ['127.43', 'Returned'],
      ['127.43', 'Paid'],
    ]);
    const own = await (await surrogate.request.get(`${webUrl}/api/user/me/payments`)).json();
    assert.deepEqual(figures, [moneyWords(own.total_cents)]);
    for (const words of [AMOUNT, moneyWords(own.total_cents)]) assert.ok(pdf.includes(words), words);
    const refused = await surrogate.request.get(`${webUrl}/api${CASE}/statement`);
    assert.equal(refused.status(), 403, 'what the parents have is not the surrogate’s business');
    await keepPicture(surrogate, 'payments');
  });

  test('[PAYMENT-2] no page had a fault during the walk', () => {
    for (const page of allPages) assert.deepEqual(page.faults, []);
  });
});
