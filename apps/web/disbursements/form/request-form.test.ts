import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createElement } from 'react';
import type { Payee } from '../../api/api-shapes.ts';
import { type ShownPage, showPage } from '../../test-page/shown-page.ts';
import { startBrowser } from '../../test-page/test-browser.ts';

const browser = startBrowser();
const { DisbursementForm } = await import('./disbursement-form.tsx');
const { ReceiptField } = await import('./receipt-field.tsx');

const me = { id: 5, name: 'Paige', userType: 'surrogate' } as const;
const person = (user_id: number, name: string): Payee => ({
  user_type: 'surrogate',
  user_id,
  name,
  approver: { user_id: 1, user_type: 'intended_parent', name: 'Ann Lee' },
  why: null,
  arrives: null,
  decide_by: null,
  needs_account: false,
});
const people = [person(5, 'Paige'), person(6, 'Rosa')];
const EMPTY = { amount: '', category: '', description: '', payee: 'surrogate:5' };
const form = (more: object = {}) =>
  createElement(DisbursementForm, {
    me,
    caseId: 3,
    cases: [{ id: 3, name: 'Case 3' }],
    people,
    categories: ['Travel', 'Food'],
    benefits: [],
    availableCents: null,
    values: EMPTY,
    ...more,
  });
const CREATE = 'POST /api/cases/3/disbursements';
const PAYEE = '"payee":{"user_type":"surrogate","user_id":5}';
const FIELDS = `{"amount_cents":30000,"category":"Travel","description":"Train",${PAYEE}}`;
const saved = (status = 'draft') => ({ status: 200, body: { id: 8, status } });

async function fill(page: ShownPage): Promise<void> {
  await page.type('Amount', '300');
  await page.leave('Amount');
  await page.check('Travel');
  await page.type('What is it for?', 'Train');
}
const keys = () =>
  browser.calls.filter(({ path }) => path.startsWith('/api/cases')).map(({ headers }) => headers.get('idempotency-key'));

test('a request without an amount, a category, or a purpose is not saved', async () => {
  const page = await showPage(browser, form());
  await page.press('Save as draft');
  assert.equal(page.problems.length, 3);
  await page.type('Amount', '1,5x');
  await page.leave('Amount');
  assert.equal(page.field('Amount').value, '1,5x', 'what is not an amount stays to be corrected');
  assert.deepEqual(browser.calls, []);
});

test('[REQUEST-1] a request is saved, its receipts are uploaded, and only then it is sent', async () => {
  const page = await showPage(browser, form());
  await fill(page);
  assert.equal(page.field('Amount').value, '300.00');
  const file = new File(['x'], 'bill.pdf', { type: 'application/pdf' });
  await page.choose('Choose a receipt', file);
  browser.answers.set(CREATE, saved());
  browser.answers.set('POST /api/disbursements/8/files/upload-url', {
    status: 200,
    body: { upload_url: '/bucket', upload_fields: { key: 'k' }, file_key: 'k1' },
  });
  browser.answers.set('POST /bucket', { status: 403, body: {} });
  const send = async () => {
    await page.press('Send $300.00 to Ann');
    await page.until('the end of the attempt', () => !page.text.includes('…') || browser.opened.length > 0);
  };
  await send();
  assert.match(page.problems.join(), /“bill\.pdf” wasn’t uploaded, so the request isn’t sent yet\./);
  assert.equal(browser.changes.at(-1)?.startsWith('POST /bucket'), true, 'what was not uploaded is not confirmed');
  browser.answers.set('POST /bucket', 204);
  browser.answers.set('PATCH /api/disbursements/8', saved());
  browser.answers.set('POST /api/disbursements/8/submit', {
    status: 422,
    body: { message: 'No money.', errors: [{ field: 'amount_cents', message: 'Too much.' }] },
  });
  await send();
  assert.deepEqual(page.problems, ['Too much.']);
  browser.answers.set('POST /api/disbursements/8/submit', { status: 409, body: { message: 'The case is closed.' } });
  await send();
  assert.match(page.text, /Not sent yetThe case is closed\. It’s saved as a draft\./);
  browser.forget();
  browser.answers.set('POST /api/disbursements/8/submit', saved('submitted'));
  await send();
  assert.deepEqual(
    browser.changes,
    [`PATCH /api/disbursements/8 ${FIELDS}`, 'POST /api/disbursements/8/submit {}'],
    'the receipt is not sent again',
  );
  assert.deepEqual(browser.opened, ['push /disbursements/8']);
  assert.deepEqual(Object.keys(browser.local), [], 'the draft on this device is gone');
});

test('[REQUEST-1] a request that an earlier attempt has sent is not sent again, and a draft is never sent', async () => {
  for (const [button, status, expected] of [
    ['Send $300.00 to Ann', 'submitted', [`${CREATE} ${FIELDS}`]],
    ['Save as draft', 'draft', [`${CREATE} ${FIELDS}`]],
  ] as const) {
    browser.forget();
    const page = await showPage(browser, form());
    await fill(page);
    browser.answers.set(CREATE, saved(status));
    await page.press(button);
    assert.deepEqual([browser.changes, browser.opened], [expected, ['push /disbursements/8']]);
    await page.close();
  }
});

test('[REQUEST-1] a request that was sent or saved is not sent again while its page is loading', async () => {
  for (const [button, status] of [
    ['Send $300.00 to Ann', 'submitted'],
    ['Save as draft', 'draft'],
  ] as const) {
    browser.forget();
    const page = await showPage(browser, form());
    await fill(page);
    browser.answers.set(CREATE, saved(status));
    await page.press(button);
    assert.deepEqual(browser.opened, ['push /disbursements/8']);
    await page.sendForms();
    assert.deepEqual([browser.changes.length, browser.opened.length, page.problems], [1, 1, []]);
    for (const name of ['Saving…', 'Save as draft']) assert.ok(page.button(name).disabled, name);
    await page.close();
  }
});

test('[IDEMPOTENCY-1] the same content has the same key, also after a reload, and other content has another one', async () => {
  const page = await showPage(browser, form({ scheduledPaymentId: 4 }));
  await fill(page);
  browser.answers.set(CREATE, 'drop');
  await page.press('Save as draft');
  assert.match(page.text, /Not saved yet/);
  await page.press('Save as draft');
  await page.close();
  const again = await showPage(browser, form({ scheduledPaymentId: 4 }));
  assert.equal(again.field('What is it for?').value, 'Train', 'the draft is brought back');
  await again.press('Save as draft');
  await again.type('What is it for?', 'Bus');
  await again.press('Save as draft');
  const [first, second, third, fourth] = keys();
  assert.ok(first !== null && first === second && second === third && fourth !== third);
  assert.equal(
    browser.changes.at(-1),
    `${CREATE} ${FIELDS.replace('Train', 'Bus').replace('}}', '},"scheduled_payment_id":4}')}`,
  );
});

test('[PAGE-6] what differs from the page is stored as it is typed, starts over on demand, and never names a stranger', async () => {
  const page = await showPage(browser, form());
  const stored = () => browser.local.getItem('case-platform.draft.5.request-new-3-any');
  await page.type('What is it for?', 'Train');
  assert.equal(stored(), '{"description":"Train"}');
  assert.deepEqual(page.status, ['Draft saved on this device. Start over']);
  await page.type('What is it for?', '');
  assert.deepEqual([stored(), page.status], [null, []]);
  await page.type('What is it for?', 'Train');
  await page.press('Start over');
  assert.deepEqual([stored(), page.field('What is it for?').value], [null, '']);
  await page.close();
  for (const [text, shown] of [
    ['{"payee":"surrogate:6","amount":7,"description":"Bus"}', ['surrogate:6', '', 'Bus']],
    ['{"payee":"surrogate:99","description":"Bus"}', ['surrogate:5', '', 'Bus']],
    ['broken', ['surrogate:5', '', '']],
    ['null', ['surrogate:5', '', '']],
  ] as const) {
    browser.local.setItem('case-platform.draft.5.request-new-3-any', text);
    const again = await showPage(browser, form());
    assert.deepEqual(
      [again.field('Who gets paid?').value, again.field('Amount').value, again.field('What is it for?').value],
      shown,
      text,
    );
    await again.close();
  }
});

test('an error of the API is shown at its field, and any other above the buttons', async () => {
  const page = await showPage(browser, form());
  await fill(page);
  for (const [field, label] of [
    ['amount_cents', 'Amount'],
    ['category', 'Travel'],
    ['description', 'What is it for?'],
    ['payee.user_id', 'Who gets paid?'],
    ['scheduled_payment_id', 'Who gets paid?'],
  ] as const) {
    browser.answers.set(CREATE, { status: 422, body: { message: 'x', errors: [{ field, message: 'Words.' }] } });
    await page.press('Save as draft');
    assert.deepEqual(page.problems, ['Words.']);
    for (const one of ['Amount', 'Travel', 'What is it for?', 'Who gets paid?'])
      assert.equal(page.field(one).getAttribute('aria-invalid'), String(one === label), `${field}: ${one}`);
  }
  browser.answers.set(CREATE, { status: 409, body: { message: 'The case is closed.' } });
  await page.press('Save as draft');
  assert.match(page.problems.join(), /Not saved yetThe case is closed\./);
});

test('a person who leaves with chosen files is warned, and one without is not', async () => {
  const page = await showPage(browser, form());
  const leave = () => {
    const event = new Event('beforeunload', { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(leave(), false);
  await page.choose('Choose a receipt', new File(['x'], 'bill.pdf', { type: 'application/pdf' }));
  assert.equal(leave(), true);
  await page.press('Remove bill.pdf');
  assert.equal(leave(), false);
});

test('[PAGE-6] what was typed before the scripts ran stays, also when the page is refreshed', async () => {
  const key = 'case-platform.draft.5.request-new-3-any';
  browser.local.setItem(key, '{"amount":"7.00","description":"Bus"}');
  const shown = form();
  /** A browser brings this back into the field before the page's effects run. */
  const { useLayoutEffect } = await import('react');
  const Early = () => {
    useLayoutEffect(() => Object.assign(document.querySelector('textarea') ?? {}, { value: 'Typed early' }) && undefined, []);
    return shown;
  };
  const page = await showPage(browser, createElement(Early));
  assert.deepEqual([page.field('Amount').value, page.field('What is it for?').value], ['7.00', 'Typed early']);
  await page.close();
  const refreshed = await showPage(browser, form({ values: { ...EMPTY, description: 'Train' } }));
  await refreshed.show(form({ values: { ...EMPTY, description: 'Refreshed' } }));
  await refreshed.press('Start over');
  assert.deepEqual([refreshed.field('What is it for?').value, browser.local.getItem(key)], ['Train', null]);
});

test('[UPLOAD-10] the message about a receipt goes with it, and a request that was saved warns no one who leaves', async () => {
  const page = await showPage(browser, form());
  await fill(page);
  await page.choose('Choose a receipt', new File(['x'], 'bill.pdf', { type: 'application/pdf' }));
  browser.answers.set(CREATE, saved());
  const begin = 'POST /api/disbursements/8/files/upload-url';
  browser.answers.set(begin, { status: 409, body: { message: 'No room.' } });
  await page.press('Save as draft');
  await page.until('the failure', () => page.problems.length > 0);
  await page.press('Remove bill.pdf');
  assert.deepEqual(page.problems, []);
  await page.choose('Choose a receipt', new File(['x'], 'odd', { type: '' }), new File(['x'], 'b.pdf'));
  browser.answers.set(begin, { status: 200, body: { upload_url: '/bucket', upload_fields: {}, file_key: 'k' } });
  browser.answers.set('POST /bucket', 204);
  browser.answers.set('PATCH /api/disbursements/8', saved());
  await page.press('Save as draft');
  await page.until('it is saved', () => browser.opened.length > 0);
  const descriptor = browser.calls.findLast(({ path }) => path.endsWith('/upload-url'))?.body;
  assert.deepEqual(descriptor, { filename: 'b.pdf', content_type: 'application/octet-stream', size: 1 });
  const leaving = new Event('beforeunload', { cancelable: true });
  dispatchEvent(leaving);
  assert.equal(leaving.defaultPrevented, false);
});

test('[UPLOAD-10] the upload of a receipt ends when its page is left', async () => {
  const page = await showPage(browser, form());
  await fill(page);
  await page.choose('Choose a receipt', new File(['x'], 'bill.pdf', { type: 'application/pdf' }));
  browser.answers.set(CREATE, saved());
  browser.answers.set('POST /api/disbursements/8/files/upload-url', () => new Promise(() => {}));
  await page.press('Save as draft');
  const upload = () => browser.calls.find(({ path }) => path.endsWith('/upload-url'));
  await page.until('it has begun', () => upload() !== undefined);
  await page.close();
  assert.equal(upload()?.signal?.aborted, true);
});

const TOO_MANY = 'A request can have up to 20 receipts.';

test('[REQUEST-12] a request has up to twenty receipts, and the others are named', async () => {
  const file = (name: string, content = 'x') => new File([content], name, { type: 'application/pdf' });
  for (const [files, attached, chosen, expected, refusal] of [
    [0, 0, ['a.pdf', 'b.exe'], 1, '“b.exe” can’t be used here.'],
    [0, 0, ['empty.pdf'], 0, '“empty.pdf” is empty.'],
    [14, 5, ['a.pdf'], 15, null],
    [14, 5, ['a.pdf', 'b.pdf'], 15, TOO_MANY],
    [15, 5, ['a.pdf'], 15, TOO_MANY],
    // After a refresh of the page, a receipt that was just uploaded counts twice.
    [16, 5, ['a.pdf', 'b.pdf'], 16, TOO_MANY],
  ] as const) {
    let now: File[] | null = null;
    const page = await showPage(
      browser,
      createElement(ReceiptField, {
        files: Array.from({ length: files }, (_, at) => file(`${at}.pdf`)),
        attached: Array.from({ length: attached }, () => 'old.pdf'),
        problem: null,
        disabled: false,
        onChange: (list: File[]) => (now = list),
      }),
    );
    await page.choose('Choose a receipt', ...chosen.map((name) => file(name, name.startsWith('empty') ? '' : 'x')));
    assert.equal((now as File[] | null)?.length, expected, `${files} ${attached} ${chosen}`);
    if (refusal === null) assert.deepEqual(page.problems, []);
    else assert.match(page.problems[0] ?? '', new RegExp(`^${refusal}`));
    await page.close();
  }
});

test('[REQUEST-12] all dropped receipts are added, and none while the request is being sent', async () => {
  const files = [new File(['x'], 'a.pdf'), new File(['x'], 'b.pdf')];
  for (const [disabled, expected] of [
    [false, ['a.pdf', 'b.pdf']],
    [true, []],
  ] as const) {
    const names: string[] = [];
    const onChange = (list: File[]) => names.push(...list.map(({ name }) => name));
    const page = await showPage(
      browser,
      createElement(ReceiptField, { files: [], attached: [], problem: null, disabled, onChange }),
    );
    const place = page.elements((one) => one.getAttribute('aria-label') === 'Receipt')[0] as HTMLElement;
    assert.equal(await page.fire(place, 'dragover'), true, 'otherwise the browser opens the file');
    assert.equal(await page.fire(place, 'drop', { dataTransfer: { files } }), true);
    assert.deepEqual(names, expected);
    await page.close();
  }
});
