import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { accountPage } from './account-page.ts';
import { confirmIdentityPage } from './confirm-identity-page.ts';
import { codeWhere } from './masked.ts';
import { twoFactorPage } from './two-factor-page.ts';

/** Renders a person's own pages without a server, for every method of two-factor sign-in. */

const frame = staffFrame({ permissions: [], now: '2026-11-23T12:00:00Z' });
const METHODS = ['app', 'email', 'sms'] as const;
type Method = (typeof METHODS)[number] | null;
const profileOf = (two_factor_method: Method, phone: string | null = '+12025550177') => ({
  email_address: 'ruth@demo.test',
  phone,
  two_factor_method,
});

test('[PASSWORD-1] the form of a new password asks for 12 characters, or 8 with any method of two-factor sign-in', () => {
  const minimum = (method: Method) => {
    const view = { profile: profileOf(method), sessions: [], signIns: [], done: undefined, refused: undefined };
    const page = tightMarkup(accountPage(frame, view));
    return [/minlength="(\d+)"/.exec(page)?.[1], /At least (\d+) characters/.exec(page)?.[1]];
  };
  assert.deepEqual(minimum(null), ['12', '12']);
  for (const method of METHODS) assert.deepEqual(minimum(method), ['8', '8'], method);
});

const refusedCode = (code: string) => ({
  action: '/account/two-factor/off',
  values: { code },
  words: 'Wrong.',
  errors: { code: 'Wrong.' },
  status: 422,
  code: 'invalid_input',
});
/** The forms of a page, each with the names and fixed values of its fields. */
const formsIn = (page: string) =>
  [...page.matchAll(/<form[^>]* action="(\/account[^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(([, action, inside = '']) => {
    const fields = [...inside.matchAll(/<(?:input|button)[^>]* name="(?!_csrf)(\w+)"[^>]*?>/g)].map(([tag = '', name]) => {
      const value = /<(?:input type="hidden"|button)[^>]* value="([^"]*)"/.exec(tag)?.[1];
      return value === undefined ? name : `${name}=${value}`;
    });
    return [action, ...fields].join(' ');
  });

test('[TWO-FACTOR-10] a method is turned off with a code of that method, which is sent first where it is sent', () => {
  const forms = (method: Method, pending: Method, code?: string) => {
    const setup = pending === 'app' ? { secret: 'SECRET', otpauth_url: 'otpauth://totp/x' } : null;
    const refused = code === undefined ? undefined : refusedCode(code);
    const page = tightMarkup(
      twoFactorPage(frame, { profile: profileOf(method), pending: pending && { method: pending, setup }, refused }),
    );
    const open = page.includes('<details class="more-ways" open>') ? ['backup codes open'] : [];
    return [...formsIn(page).filter((form) => !form.startsWith('/logout')), ...open];
  };
  const off = '/account/two-factor/off code';
  const send = (method: string) => `/account/two-factor method=${method}`;
  assert.deepEqual(forms(null, null), ['/account/two-factor method=app method=email method=sms']);
  for (const pending of METHODS) {
    const again = pending === 'app' ? [] : [send(pending)];
    assert.deepEqual(forms(null, pending), ['/account/two-factor/confirm code', ...again]);
    assert.deepEqual(forms('app', pending), [off, off], 'its code, or a backup code');
    for (const method of ['email', 'sms'] as const)
      assert.deepEqual(forms(method, pending), pending === method ? [off, send(method)] : [send(method)], `${method} ${pending}`);
  }
  assert.deepEqual(forms('email', null), [send('email')]);
  assert.deepEqual(forms('app', null, '123456'), [off, off]);
  assert.deepEqual(forms('app', null, 'abcde-23456'), [off, off, 'backup codes open']);
});

test('[TWO-FACTOR-10] a text message is offered to those with a phone number', () => {
  const offered = (phone: string | null) => {
    const page = tightMarkup(twoFactorPage(frame, { profile: profileOf(null, phone), pending: null, refused: undefined }));
    return [page.includes('value="sms"'), page.includes('Add a phone number')];
  };
  assert.deepEqual(
    [offered('+12025550177'), offered(null)],
    [
      [true, false],
      [false, true],
    ],
  );
});

test('[TWO-FACTOR-9] a page says where a code is, and shows little of an address or number', () => {
  const where = METHODS.map((method) => codeWhere({ ...profileOf(method), method }));
  assert.match(where[0] ?? '', /^Open your authenticator app/);
  assert.equal(where[1], 'We sent a code to r•••@demo.test. It works for 10 minutes.');
  assert.equal(where[2], 'We sent a code to your phone, •••77. It works for 10 minutes.');
});

test('[IDENTITY-4, TWO-FACTOR-9] a code has a field only where it proves identity, and a refused one is open', () => {
  const shown = (method: Method, code?: string) => {
    const refused = code === undefined ? undefined : { ...refusedCode(code), action: '/account/confirm' };
    const page = tightMarkup(confirmIdentityPage(frame, { next: '/batches/5', method, refused }));
    assert.equal(page.match(/name="next" value="\/batches\/5"/g)?.length, formsIn(page).length, 'each form leads on');
    return [...page.matchAll(/<details class="more-ways"\s*(open)?\s*>/g)].map(([, open]) => open ?? 'closed');
  };
  assert.deepEqual(shown('app'), ['closed', 'closed']);
  assert.deepEqual(shown('app', '123456'), ['open', 'closed']);
  assert.deepEqual(shown('app', 'abcde-23456'), ['closed', 'open']);
  for (const method of ['email', 'sms', null] as const) assert.deepEqual(shown(method), []);
});
