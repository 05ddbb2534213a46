import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireAllowedPassword } from './password-policy.ts';

const OWNER = {
  email_address: 'maria.lopez@harbor-agency.test',
  first_name: 'María',
  last_name: 'López-Stone',
  phone: '+12025550143',
  two_factor_method: null,
};
const codeOf = async (password: string, two_factor_method: string | null = null): Promise<string | null> => {
  try {
    await requireAllowedPassword(password, { ...OWNER, two_factor_method });
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('[PASSWORD-2] names, addresses, and the product’s own words are common, also repeated, joined, and with digits', async () => {
  for (const password of [
    'parentparent',
    'ParentParent',
    'parentparent1',
    'surrogate2026!',
    'caseplatform',
    'case-platform-1',
    'Escrow.Specialist',
    'ourbabyourbaby',
    'welcomeparent',
    'agencyowner24',
    'ｐａｒｅｎｔｐａｒｅｎｔ',
    'maria-lopez-1',
    'lopez.maria99',
    'MaríaLópez2026',
    'stonestone123',
    'harbor-agency',
    'maria.lopez@harbor-agency.test',
    'abcdefabcdef',
    'x7!qx7!qx7!q',
    'password1234',
    'aaaaaaaaaaaa',
    'Password!Password!',
  ])
    assert.equal(await codeOf(password), 'password_common', password);
});

test('[PASSWORD-2] each of the product’s own words is common, with a year and signs beside it', async () => {
  const words =
    'case platform caseplatform parent parents intended surrogate surrogates surrogacy escrow specialist agency agencies ' +
    'manager owner admin administrator representative payment payments pregnancy baby babies birth family love welcome ' +
    'password passwort login secret change letmein my our the new test demo';
  for (const word of words.split(' ')) {
    const password = `${word.repeat(Math.ceil(8 / word.length))}-2026!`;
    assert.equal(await codeOf(password), 'password_common', password);
  }
  assert.equal(await codeOf('otterotter-2026!'), null, 'a word that is not on the list');
});

test('[PASSWORD-2] a person’s own phone number is common, in any spelling, and with common words', async () => {
  for (const password of ['+12025550143', '+1 (202) 555-0143', '1.202.555.0143', 'maria-5550143', 'parent2025550143!'])
    assert.equal(await codeOf(password), 'password_common', password);
  for (const password of ['2025550199-1', '550143-otters', '+1 202 555 0143 seven otters'])
    assert.equal(await codeOf(password), null, password);
});

test('[PASSWORD-2] a password that only contains such a word is not common', async () => {
  for (const password of [
    'Harbour-Lantern-42',
    'parent of seven otters',
    'lantern-orchard-velvet',
    'Maria sails at noon',
    'quiet-case-of-plums',
    '48291365-parent-0127',
    '正しい馬の電池ステープルです',
    'x7!qx7!r-x7!qx7!r',
  ])
    assert.equal(await codeOf(password), null, password);
});

test('[PASSWORD-1] a password has at least 12 characters, or 8 with a second factor, and at most 256', async () => {
  assert.equal(await codeOf('Xk7-mq2w-ab'), 'password_short');
  assert.equal(await codeOf('Xk7-mq2w-abc'), null);
  assert.equal(await codeOf('Xk7-mq2', 'app'), 'password_short');
  assert.equal(await codeOf('Xk7-mq2w', 'app'), null);
  const long = Array.from({ length: 257 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  assert.equal(await codeOf(long.slice(0, 256)), null);
  assert.equal(await codeOf(long), 'password_long');
});

test('[PASSWORD-2] the limits of what counts as common: length of a word, signs beside it, repetition, and parts of a phone number', async () => {
  for (const [common, allowed] of [
    // A common word of four letters, and one of three.
    ['mike72604819', 'bob726048193'],
    // Three different characters, and four.
    ['abcabacbacba', 'abcdbacdbdca'],
    // Seven characters twice, and eight.
    ['k7!qm2wk7!qm2w', 'k7!qm2wzk7!qm2wz'],
    // Eight digits and signs beside a word of the product, and nine.
    ['surrogate-2026-!?', 'surrogate-20261-!?'],
    // The last seven digits of the owner's number, and the last six.
    ['2026-5550143-maria', '2026-550143-!maria'],
  ] as const) {
    assert.equal(await codeOf(common), 'password_common', common);
    assert.equal(await codeOf(allowed), null, allowed);
  }
});
