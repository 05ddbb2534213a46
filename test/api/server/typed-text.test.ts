import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { InvalidInputError } from '@case-platform/lib/errors';
import { isFormula } from '@case-platform/lib/text/human-text';
import { parseCell, parseLine, parseName, parseText } from '@case-platform/lib/text/typed-text';
import { dollarsField, readDollars } from '@case-platform/words/money';
import { sixDigits } from '@case-platform/words/sign-in/codes';
import fc from 'fast-check';
import { parseAgencyName } from '../../../modules/accounts/agencies/edit-agency.ts';
import { parseEmail, parsePersonName, parsePhone } from '../../../modules/accounts/people/contact-details.ts';
import { parseRoleName } from '../../../modules/accounts/roles/change-roles.ts';
import { parseHolder } from '../../../modules/banking/bank-accounts/parse-bank-account.ts';
import { parseAddressee } from '../../../modules/banking/proof/issue-proof.ts';
import { parseCaseName, parseCategory } from '../../../modules/cases/parse-case-fields.ts';
import { parseDescription } from '../../../modules/disbursements/disbursement-fields.ts';
import { parseSearch } from '../../../modules/messaging/search/parse-search.ts';
import { parseMessageText } from '../../../modules/messaging/send-message.ts';
import { parseSubject } from '../../../modules/messaging/start-chain.ts';
import { anyText } from '../../support/any-text.ts';

/** Returns the stored form of a text, or null or an error for one that is rejected. */
type Kind = (text: string) => string | null | Promise<string>;

const FIELD = { field: 'text', label: 'The text', max: 10_000 };
const KINDS: Record<string, Kind> = {
  name: (text) => parseName(text, FIELD),
  'name of a person': (text) => parsePersonName('first_name', text),
  'name of a case': parseCaseName,
  'name of a role': parseRoleName,
  'name of an agency': parseAgencyName,
  'holder of a bank account': parseHolder,
  'cell of an export': (text) => parseCell(text, FIELD),
  category: parseCategory,
  line: (text) => parseLine(text, FIELD),
  subject: parseSubject,
  addressee: parseAddressee,
  text: (text) => parseText(text, FIELD),
  message: parseMessageText,
  description: parseDescription,
  'email address': (text) => parseEmail('email_address', text.includes('@') ? text : `${text}@mail.test`),
  phone: parsePhone,
  code: sixDigits,
  amount: (text) => {
    const cents = readDollars(text);
    return cents === null ? null : dollarsField(cents);
  },
};

async function storedAs(kind: Kind, text: string): Promise<string | null> {
  try {
    return await kind(text);
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

for (const [name, kind] of Object.entries(KINDS))
  test(`[ACCOUNT-3, ERROR-5] any typed text is accepted in one form or rejected with a reason: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const stored = await storedAs(kind, text);
        if (stored === null) return;
        assert.equal((await storedAs(kind, stored)) ?? '', stored, 'a second time changes nothing');
        assert.ok(stored.isWellFormed() && stored === stored.normalize('NFC'));
        assert.doesNotMatch(stored, /(?![\n\t])\p{Cc}|[\u200B\u202A-\u202E\u2066-\u2069\uFEFF]/u);
      }),
    );
  });

test('[API-6, ERROR-5] any text can be searched for, and a day that does not exist has a reason', () => {
  const operator = fc.constantFrom(
    'from:',
    'case:',
    'has:file ',
    'before:',
    'after:',
    'or ',
    '-',
    '"',
    'before:2026-02-30',
    "'\\",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(operator, anyText), { maxLength: 5 }), (parts) => {
      try {
        for (const query of [parseSearch(parts.join('')).query, prefixQuery(parts.join(''))])
          assert.match(
            query ?? '',
            /^(?:'[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}\p{P}\p{S}]+'(?::[*A]+)?|[()!&| ]|<->)*$/u,
          );
      } catch (error) {
        assert.ok(error instanceof InvalidInputError);
      }
    }),
  );
});

/** The characters of a text, with some of these signs between, before, and after them. */
const between = (text: string, ...signs: string[]) =>
  fc
    .array(fc.array(fc.constantFrom(...signs), { maxLength: 2 }), { minLength: text.length + 1, maxLength: text.length + 1 })
    .map((gaps) => gaps.map((gap, at) => gap.join('') + (text[at] ?? '')).join(''));
const wide = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));

test('[ACCOUNT-6, TWO-FACTOR-2] numbers, codes, and addresses are read with everything that phones and people put around them', async () => {
  const invisible = ['\u200B', '\u202A', '\u202C', '\u2060', '\uFEFF'];
  const spaced = ['', ' ', '\u00A0', '-', '\u2011', ...invisible];
  for (const text of ['+12025550143', wide('+12025550143')])
    await fc.assert(
      fc.asyncProperty(between(text, '', ' ', '(', ')', '.', '-', '\u00A0', '\u202F', '\u2013', ...invisible), async (typed) =>
        assert.equal(await parsePhone(typed), '+12025550143', JSON.stringify(typed)),
      ),
    );
  for (const text of ['123456', wide('123456')])
    fc.assert(fc.property(between(text, ...spaced), (typed) => assert.equal(sixDigits(typed), '123456')));
  for (const text of ['$1,234.50', wide('1234.5')])
    fc.assert(fc.property(between(text, '', ...invisible), (typed) => assert.equal(readDollars(typed), 123_450)));
  for (const around of [...invisible, ' ', '\u00A0'])
    assert.equal(parseEmail('email_address', `${around}Jane@Mail.Test.${around}`), 'jane@mail.test');
});

test('[ACCOUNT-3] a field with nothing to see is empty', async () => {
  for (const text of ['', ' ', '\u200B', '\u2800 \u2800', '\u202A\u202C'])
    for (const kind of [
      parseCaseName,
      parseCategory,
      parseDescription,
      parseMessageText,
      parseRoleName,
      parseAgencyName,
      parseHolder,
      parseAddressee,
      (one: string) => parsePersonName('last_name', one),
    ])
      assert.equal(await storedAs(kind, text), null, JSON.stringify(text));
});

test('[ACCOUNT-4, EMAIL-12] names and cells never begin a formula, and mail programs make no link of a name', async () => {
  for (const kind of [parseCaseName, parseRoleName, parseAgencyName, (text: string) => parsePersonName('last_name', text)])
    for (const name of ['clinic.example', 'https://x.test', 'a@b.test', '=1', '\uFF1D1', ' \u200B@x'])
      assert.equal(await storedAs(kind, name), null, name);
  for (const kind of [parseCategory, parseHolder])
    await fc.assert(fc.asyncProperty(anyText, async (text) => assert.ok(!isFormula((await storedAs(kind, text)) ?? ''))));
});
