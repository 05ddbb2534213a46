import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type ComponentProps, createElement } from 'react';
import type { BankAccount, Profile } from '../api/api-shapes.ts';
import { type ShownPage, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { BankAccountPanel } = await import('./bank-account-panel.tsx');
const { ProfileForm } = await import('./profile-form.tsx');
const { PictureUpload } = await import('./picture-upload.tsx');
const { PhotoIdUpload } = await import('./photo-id-upload.tsx');
const { Clock } = await import('../look/clock.tsx');

const NOW = Date.parse('2026-11-26T12:00:00Z');
const profile = (more: object = {}) =>
  ({
    id: 5,
    first_name: 'Paige',
    last_name: 'Whitlock',
    phone: null,
    user_type: 'surrogate',
    profile_picture_url: null,
    profile_picture_state: null,
    profile_picture_problem: null,
    photo_id: null,
    ...more,
  }) as unknown as Profile;
const BANK = 'PUT /api/user/me/bank-account';
const account = (usable_from: string) =>
  ({
    account_kind: 'checking',
    last_four: '4321',
    holder_name: 'Paige',
    routing_number: '021000021',
    usable_from,
  }) as BankAccount;

test.afterEach(() => mock.timers.reset());

async function fillAccount(
  page: ShownPage,
  numbers: Partial<Record<'routing' | 'account' | 'again', string>> = {},
): Promise<void> {
  const { routing = '021000021', account: number = '1234 5678', again = '12345678' } = numbers;
  await page.type('Routing number', routing);
  await page.type('Account number', number);
  await page.type('Confirm account number', again);
}
const ACCOUNT = '{"holder_name":"Paige W.","account_kind":"checking","routing_number":"021000021","account_number":"1234 5678"';
const openForm = async (page: ShownPage, button: string) => {
  await page.press(button);
  await page.until('the form', () => page.has('Save bank account'));
};

test('[BANK-4] numbers of an account that cannot be right are named when their field is left, and not sent', async () => {
  const page = await showPage(browser, createElement(BankAccountPanel, { initial: null, holder: 'Paige W.' }));
  await openForm(page, 'Add a bank account');
  for (const [numbers, label, problem] of [
    [{ routing: '12345678' }, 'Routing number', 'A routing number has nine digits.'],
    [{ account: '123', again: '123' }, 'Account number', 'An account number has 4 to 17 digits.'],
    [{ account: '1'.repeat(18), again: '1'.repeat(18) }, 'Account number', 'An account number has 4 to 17 digits.'],
    [{ again: '12345679' }, 'Confirm account number', 'The account numbers don’t match.'],
  ] as const) {
    await fillAccount(page, numbers);
    await page.leave(label);
    assert.deepEqual(page.problems, [problem]);
    await page.press('Save bank account');
    assert.deepEqual([page.problems, browser.changes], [[problem], []]);
    assert.equal(document.activeElement?.id, page.field(label).id);
    await fillAccount(page);
    assert.deepEqual(page.problems, [], 'the problem goes as soon as it is solved');
  }
  await page.type('Name on the account', ' ');
  await page.leave('Name on the account');
  assert.deepEqual(page.problems, ['Enter the name on the account.']);
});

test('[BANK-5] a first account is saved at once, without the repeated number, and the form closes', async () => {
  const page = await showPage(browser, createElement(BankAccountPanel, { initial: null, holder: 'Paige W.' }));
  await openForm(page, 'Add a bank account');
  await fillAccount(page);
  for (const [answer, problem] of [
    [{ status: 422, body: { errors: [{ field: 'routing_number', message: 'Unknown bank.' }] } }, 'Unknown bank.'],
    [{ status: 422, body: { message: 'Not now.', errors: [{ field: 'preview', message: 'x' }] } }, 'Not now.'],
    ['drop' as const, 'We can’t reach our servers right now'],
  ] as const) {
    browser.answers.set(BANK, answer);
    await page.press('Save bank account');
    assert.match(page.problems.join(), new RegExp(problem));
  }
  browser.forget();
  browser.answers.set(BANK, { status: 200, body: account('2026-11-28T12:00:00Z') });
  await page.check('Savings');
  await page.press('Save bank account');
  assert.deepEqual(browser.changes, [`${BANK} ${ACCOUNT.replace('checking', 'savings')}}`]);
  assert.deepEqual(
    [page.has('Save bank account'), page.status.includes('Your bank account is saved.'), browser.opened],
    [false, true, ['refresh']],
  );
  await openForm(page, 'Change the account');
  assert.equal(page.status.includes('Your bank account is saved.'), false);
});

test('[BANK-8] a change lists the payments that it stops before it is saved, and sends them again only if the person wants', async () => {
  for (const [stops, resubmit] of [
    [[], undefined],
    [['Train'], true],
    [['Train', 'Bus'], false],
  ] as const) {
    browser.forget();
    const page = await showPage(
      browser,
      createElement(BankAccountPanel, { initial: account('2026-11-01T12:00:00Z'), holder: 'Paige W.' }),
    );
    await openForm(page, 'Change the account');
    await fillAccount(page);
    browser.answers.set(BANK, ({ body }) =>
      'preview' in (body as object)
        ? {
            status: 200,
            body: {
              total_cents: 500,
              stops: stops.map((description, id) => ({ id, amount_cents: 500, description, category: 'Travel', approver: null })),
            },
          }
        : { status: 200, body: account('2026-11-28T12:00:00Z') },
    );
    await page.press('Save bank account');
    const preview = `${BANK} ${ACCOUNT},"preview":true}`;
    if (resubmit === undefined) {
      assert.deepEqual(browser.changes, [preview, `${BANK} ${ACCOUNT}}`]);
    } else {
      assert.deepEqual(browser.changes, [preview], 'it is not saved before the person knows');
      assert.ok(
        page.text.includes(
          stops.length === 1 ? 'This payment needs another approval: $5.00' : 'These 2 payments need another approval: $5.00',
        ),
      );
      const box = `Send ${stops.length === 1 ? 'it' : 'them'} for approval again now`;
      assert.equal(page.field(box).checked, true);
      if (!resubmit) await page.check(box);
      await page.press('Change the account');
      assert.deepEqual(browser.changes, [preview, `${BANK} ${ACCOUNT},"resubmit":${resubmit}}`]);
    }
    assert.deepEqual(browser.opened, ['refresh']);
    await page.close();
  }
});

test('an account is in use from its time on, also while the page stays open', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
  const panel = createElement(BankAccountPanel, { initial: account('2026-11-26T12:01:30Z'), holder: 'Paige W.' });
  const page = await showPage(
    browser,
    createElement(Clock, { zone: 'UTC', now: NOW, isChosen: true } as ComponentProps<typeof Clock>, panel),
  );
  assert.ok(page.text.includes('Not in use yet'));
  assert.ok(page.text.includes('We can’t pay this account yet'));
  await page.settle(() => mock.timers.tick(60_000));
  assert.equal(page.text.includes('Not in use yet') || page.text.includes('We can’t pay this account yet'), false);
});

test('[ACCOUNT-2] only changed details are sent, without a phone as null, and the answer is shown', async () => {
  const page = await showPage(browser, createElement(ProfileForm, { profile: profile({ phone: '+1 202 555 0143' }) }));
  assert.ok(page.button('Save changes').hasAttribute('disabled'));
  await page.type('First name', ' ');
  await page.press('Save changes');
  assert.deepEqual([page.problems, browser.changes], [['Enter your first name.'], []]);
  await page.type('First name', 'Paige');
  assert.deepEqual([page.problems, page.button('Save changes').hasAttribute('disabled')], [[], true]);
  await page.type('Phone', ' ');
  const path = 'PATCH /api/user/me';
  browser.answers.set(path, { status: 422, body: { errors: [{ field: 'phone', message: 'x' }] } });
  await page.press('Save changes');
  assert.deepEqual(page.problems, ['Enter the full number with its country code, like +1 202 555 0143.']);
  browser.answers.set(path, { status: 422, body: { message: 'Words.', errors: [{ field: 'timezone', message: 'x' }] } });
  await page.press('Save changes');
  assert.deepEqual(page.problems, ['Words.']);
  browser.answers.set(path, { status: 200, body: profile({ last_name: 'W.', phone: null }) });
  await page.press('Save changes');
  assert.deepEqual(browser.changes.at(-1), `${path} {"phone":null}`);
  assert.deepEqual(
    [page.field('Phone').value, page.field('Last name').value, page.status],
    ['', 'W.', ['Your profile is saved.']],
  );
  assert.ok(page.button('Save changes').hasAttribute('disabled'), 'what was saved is no longer a change');
  assert.deepEqual(browser.opened, ['refresh']);
});

test('[UPLOAD-8] the profile is read again until the small version is there, also after a failure', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const waiting = profile({ profile_picture_state: 'waiting', profile_picture_url: '/large.png' });
  browser.answers.set('GET /api/user/me', { status: 200, body: waiting });
  const page = await showPage(browser, createElement(PictureUpload, { profile: waiting, name: 'Paige' }));
  const shown = () => page.elements(({ tagName }) => tagName === 'IMG').map((one) => one.getAttribute('src'));
  assert.deepEqual([browser.reads, shown()], [[], ['/large.png']]);
  await page.settle(() => mock.timers.tick(1500));
  await page.settle(() => mock.timers.tick(1500));
  assert.equal(browser.reads.length, 2);
  browser.answers.set('GET /api/user/me', 'drop');
  await page.settle(() => mock.timers.tick(1500));
  browser.answers.set('GET /api/user/me', {
    status: 200,
    body: profile({ profile_picture_state: 'ready', profile_picture_url: '/small.png' }),
  });
  await page.settle(() => mock.timers.tick(1500));
  assert.deepEqual([browser.reads.length, shown()], [4, ['/small.png']]);
  await page.settle(() => mock.timers.tick(10_000));
  assert.equal(browser.reads.length, 4);
});

test('[UPLOAD-8] a picture is removed, and one that failed says why and is not shown', async () => {
  const page = await showPage(
    browser,
    createElement(PictureUpload, {
      profile: profile({ profile_picture_state: 'ready', profile_picture_url: '/a.png' }),
      name: 'Paige',
    }),
  );
  const path = 'DELETE /api/user/me/profile-picture';
  browser.answers.set(path, { status: 409, body: { message: 'Not now.' } });
  await page.press('Remove');
  assert.deepEqual(page.problems, ['Not now.']);
  browser.answers.set(path, { status: 200, body: profile() });
  await page.press('Remove');
  assert.deepEqual([page.problems, page.has('Remove'), browser.opened], [[], false, ['refresh']]);
  await page.choose('Choose a picture', new File(['x'], 'a.exe'));
  assert.match(page.problems.join(), /“a\.exe” can’t be used here\./);
  await page.close();
  const failed = await showPage(
    browser,
    createElement(PictureUpload, {
      profile: profile({ profile_picture_state: 'failed', profile_picture_url: '/a.png', profile_picture_problem: 'Too small.' }),
      name: 'Paige',
    }),
  );
  assert.deepEqual([failed.problems, failed.elements(({ tagName }) => tagName === 'IMG').length], [['Too small.'], 0]);
});

test('[UPLOAD-8] a chosen picture is cropped, or given up without sending anything', async (t) => {
  const { HTMLCanvasElement } = browser.window;
  Object.assign(globalThis, { createImageBitmap: async () => ({ width: 400, height: 300 }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'createImageBitmap'));
  t.mock.method(HTMLCanvasElement.prototype, 'getContext', () => null);
  t.mock.method(HTMLCanvasElement.prototype, 'toBlob', (done: (blob: Blob) => void, type: string) =>
    done(new Blob(['x'], { type })),
  );
  const page = await showPage(browser, createElement(PictureUpload, { profile: profile(), name: 'Paige' }));
  const isOpen = () => page.text.includes('Choose the part to show');
  const choose = async () => {
    await page.choose('Choose a picture', new File(['x'], 'a.png', { type: 'image/png' }));
    await page.until('the crop', isOpen);
  };
  await choose();
  await page.press('Cancel');
  await page.until('the crop is closed', () => !isOpen());
  assert.deepEqual(browser.changes, []);
  await choose();
  await page.press('Use this picture');
  assert.equal(isOpen(), false);
  await page.until('the upload', () => browser.changes.length > 0);
  assert.match(browser.changes[0] ?? '', /^POST \/api\/user\/me\/profile-picture\/upload-url \{.*"picture\.jpg"/);
});

test('[UPLOAD-1] a photo ID is uploaded in three steps, can be cancelled and tried again, and the newer one is shown', async () => {
  const id = (filename: string, uploaded_at: string) => ({ filename, url: `/${filename}`, size: 1, uploaded_at, problem: null });
  const show = (rendered: object | null) => createElement(PhotoIdUpload, { profile: profile({ photo_id: rendered }) });
  const page = await showPage(browser, show(null));
  const { promise, resolve } = Promise.withResolvers<number>();
  const begin = 'POST /api/user/me/photo-id/upload-url';
  browser.answers.set(begin, { status: 200, body: { upload_url: '/bucket', upload_fields: { key: 'k' }, file_key: 'k1' } });
  browser.answers.set('POST /bucket', () => promise);
  const file = new File(['x'], 'id.png', { type: 'image/png' });
  await page.choose('Choose your photo ID', new File([''], 'empty.png'));
  assert.match(page.problems.join(), /is empty/);
  await page.choose('Choose your photo ID', file);
  await page.until('half is sent', () => page.text.includes('50%'));
  assert.deepEqual([page.problems, page.text.includes('Sending id.png')], [[], true]);
  assert.ok(page.field('Choose your photo ID').hasAttribute('disabled'));
  await page.press('Cancel');
  await page.until('it is over', () => !page.text.includes('Sending'));
  assert.deepEqual(page.problems, [], 'a cancellation is no problem');
  browser.answers.set('POST /bucket', { status: 500, body: {} });
  resolve(204);
  await page.choose('Choose your photo ID', file);
  await page.until('the failure', () => page.has('Try again'));
  assert.match(page.text, /“id\.png” wasn’t uploaded/);
  await page.press('Leave it');
  assert.equal(page.has('Try again'), false);
  await page.choose('Choose your photo ID', file);
  await page.until('the failure', () => page.has('Try again'));
  browser.forget();
  browser.answers.set('POST /bucket', 204);
  browser.answers.set('POST /api/user/me/photo-id/confirm', {
    status: 200,
    body: profile({ photo_id: id('new.png', '2026-11-26T12:00:00Z') }),
  });
  await page.press('Try again');
  await page.until('it is there', () => page.text.includes('new.png'));
  assert.deepEqual(browser.changes, [
    `${begin} {"filename":"id.png","content_type":"image/png","size":1}`,
    'POST /bucket {"key":"k","file":"id.png"}',
    'POST /api/user/me/photo-id/confirm {"file_key":"k1"}',
  ]);
  assert.deepEqual(browser.opened, ['refresh']);
  for (const [rendered, name] of [
    [id('older.png', '2026-11-25T12:00:00Z'), 'new.png'],
    [id('later.png', '2026-11-27T12:00:00Z'), 'later.png'],
    [null, 'new.png'],
  ] as const) {
    await page.show(show(rendered));
    assert.ok(page.text.includes(name), name);
  }
});

test('an upload ends when its page is left, and its answer changes nothing', async () => {
  const page = await showPage(browser, createElement(PhotoIdUpload, { profile: profile() }));
  browser.answers.set('POST /api/user/me/photo-id/upload-url', () => new Promise(() => {}));
  await page.choose('Choose your photo ID', new File(['x'], 'id.png', { type: 'image/png' }));
  await page.until('it has begun', () => browser.calls.length > 0);
  await page.close();
  assert.equal(browser.calls[0]?.signal?.aborted, true);
});
