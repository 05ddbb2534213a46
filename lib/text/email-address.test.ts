import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuzzing } from '../../test/support/hostile/fuzzing.ts';
import { isEmail, normalizeEmail } from './email-address.ts';

test('[ACCOUNT-6] an address has one spelling', () => {
  for (const [text, address] of [
    [' Jane@Mail.Test ', 'jane@mail.test'],
    ['\u200Bjane@mail.test', 'jane@mail.test'],
    ['\u202Ajane@mail.test\u202C', 'jane@mail.test'],
    ['jane@mail.test.', 'jane@mail.test'],
    ['ｊａｎｅ＠ｍａｉｌ．ｔｅｓｔ', 'jane@mail.test'],
    ['jane@münchen.example', 'jane@xn--mnchen-3ya.example'],
    ['jane@XN--MNCHEN-3YA.example', 'jane@xn--mnchen-3ya.example'],
    ['jane@bücher。example', 'jane@xn--bcher-kva.example'],
    ['Jane Doe <Jane@Mail.Test>', 'jane@mail.test'],
    ['"Doe, Jane" <jane@mail.test>;', 'jane@mail.test'],
    ['<jane@mail.test>', 'jane@mail.test'],
    ['mailto:jane@mail.test', 'jane@mail.test'],
    ['jane@mail.test,', 'jane@mail.test'],
    ['jane', 'jane'],
  ] as const)
    assert.equal(normalizeEmail(text), address, text);
});

test('[ACCOUNT-6] an address that no mail server accepts is rejected', () => {
  const valid = ['a@b', "o'brien+x@mail.test", `${'a'.repeat(64)}@mail.test`, 'a.b.c@1.2.test', 'j@xn--mnchen-3ya.example'];
  for (const address of valid) assert.ok(isEmail(address), address);
  const invalid = [
    ['', '@', 'a', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', '"a b"@c', 'a@[1.2.3.4]', 'a(x)@b', 'a,b@c', 'jané@mail.test', 'a\0@b'],
    ['jane@mail..test', 'jane@.mail', 'jane@mail..', '.jane@mail.test', 'jane.@mail.test', 'ja..ne@mail.test', 'a\n@b'],
    ['jane@-mail.test', 'jane@mail-.test', 'jane@ma_il.test', `${'a'.repeat(65)}@mail.test`, `a@${'b'.repeat(64)}.test`],
    [
      'a@1.2.3.4',
      'a@mail.123',
      'a@0x7f.1',
      'a@[ipv6:1::2]',
      'a@b@',
      'jane doe jane@mail.test',
      'jane <a..b@mail.test',
      '\ud800@mail.test',
    ],
  ].flat();
  for (const address of invalid) assert.ok(!isEmail(address), address);
});

test('[ACCOUNT-6] normalizing twice changes nothing more', () => {
  const part = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const address = normalizeEmail(`${local}@${domain}`);
      if (isEmail(address)) assert.equal(normalizeEmail(address), address);
    }),
    fuzzing(100),
  );
});
