import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmail, parsePersonName, parsePhone } from './contact-details.ts';

const refused = { code: 'invalid_input' };

test('[ACCOUNT-6] an email address with a character that could redirect a mail is rejected, on either side of the @', () => {
  assert.equal(parseEmail('email', ' Ann.O’Neil+x@Example.test '.replace('’', "'")), "ann.o'neil+x@example.test");
  for (const sign of '@"(),:;<>[]\\ \t\r\n\0\u202E')
    for (const address of [`a${sign}b@example.test`, `ab@exam${sign}ple.test`])
      assert.throws(() => parseEmail('email', address), refused, JSON.stringify(address));
  for (const address of ['', '@', 'a@', '@b', 'ab']) assert.throws(() => parseEmail('email', address), refused, address);
  const domain = `${['b', 'c', 'd'].map((letter) => letter.repeat(61)).join('.')}.test`;
  assert.equal(parseEmail('email', `${'a'.repeat(63)}@${domain}`).length, 254);
  assert.throws(() => parseEmail('email', `${'a'.repeat(64)}@${domain}`), refused);
});

test('[ACCOUNT-6, ACCOUNT-4] a name has 1 to 100 visible characters, and does not begin a formula', () => {
  assert.equal(parsePersonName('first_name', `  ${'é'.repeat(100)} `), 'é'.repeat(100));
  for (const name of ['', ' ', '\u200B', 'é'.repeat(101), '=1', '+1', '-1', '@x', '\u200B=1'])
    assert.throws(() => parsePersonName('first_name', name), refused, JSON.stringify(name));
});

test('[ACCOUNT-6] a phone number is whole, with its country, and has no extension', async () => {
  for (const typed of ['+12025550143', '+1 (202) 555-0143', '+1.202.555.0143'])
    assert.equal(await parsePhone(typed), '+12025550143', typed);
  for (const wrong of [
    '',
    '2025550143',
    '12025550143',
    '+1',
    '+120255501',
    '+12025550143;ext=1',
    '+12025550143 x1',
    '+1202555014a',
  ])
    await assert.rejects(parsePhone(wrong), refused, wrong);
});
