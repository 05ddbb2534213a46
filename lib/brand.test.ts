import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { renderEmail } from '../modules/notifications/email/render-email.ts';
import { logoUrl, readBrand, setBrand } from './brand.ts';

const folder = mkdtempSync(join(tmpdir(), 'brand-'));
after(() => rmSync(folder, { recursive: true }));
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const fileWith = (name: string, bytes: Buffer) => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

test('[BRAND-1] the settings name the company, its address, license, and logo; without any, the product names itself', () => {
  const problems: string[] = [];
  assert.deepEqual(readBrand({}, problems), { name: 'Case Platform', address: [], license: null, logo: null });
  const read = readBrand(
    {
      BRAND_NAME: 'Harbor Escrow',
      BRAND_ADDRESS: '12 Pier Road | Portland, ME 04101 |',
      BRAND_LICENSE: 'Escrow license 1234',
      BRAND_LOGO: fileWith('logo.png', PNG),
    },
    problems,
  );
  const address = ['12 Pier Road', 'Portland, ME 04101'];
  const logo = { type: 'image/png', bytes: PNG } as const;
  assert.deepEqual(read, { name: 'Harbor Escrow', address, license: 'Escrow license 1234', logo });
  assert.deepEqual(problems, []);
  setBrand(read);
  assert.equal(logoUrl(), `data:image/png;base64,${PNG.toString('base64')}`);
  setBrand(undefined);
});

test('[BRAND-1] what cannot be shown is reported by name, and never by value', () => {
  const tooLarge = Buffer.concat([PNG, Buffer.alloc(64 * 1024)]);
  const table: [Record<string, string>, RegExp][] = [
    [{ BRAND_NAME: 'x'.repeat(61) }, /^BRAND_NAME is longer than 60/],
    [{ BRAND_ADDRESS: 'a|b|c|d|e' }, /^BRAND_ADDRESS has up to 4 lines/],
    [{ BRAND_LICENSE: 'x'.repeat(201) }, /^BRAND_LICENSE is longer/],
    [{ BRAND_LOGO: join(folder, 'missing.png') }, /^BRAND_LOGO must name a PNG or JPEG/],
    [{ BRAND_LOGO: fileWith('logo.svg', Buffer.from('<svg/>')) }, /^BRAND_LOGO must name/],
    [{ BRAND_LOGO: fileWith('large.png', tooLarge) }, /^BRAND_LOGO must name/],
    [{ BRAND_LOGO: fileWith('text.txt', Buffer.from('fffe4800', 'hex')) }, /^BRAND_LOGO must name/],
  ];
  for (const [environment, expected] of table) {
    const problems: string[] = [];
    readBrand(environment, problems);
    assert.equal(problems.length, 1, JSON.stringify(environment));
    assert.match(problems[0] ?? '', expected);
    assert.ok(!Object.values(environment).some((value) => problems[0]?.includes(value)));
  }
});

test('[BRAND-1] mails name the company at the top and its address and license at the foot, in both parts', async () => {
  const context = {
    subject_line: 'Hello',
    first_name: 'Sarah',
    invited_by: 'Root',
    role: 'Surrogate',
    url: 'https://web.test/x',
    sign_in_url: 'https://web.test',
  };
  const plain = await renderEmail('invitation.html', context);
  assert.match(plain.text, /invited you to Case Platform/);
  setBrand({ name: 'Harbor & Sons', address: ['12 Pier Road'], license: 'License 1234', logo: null });
  const { html, text } = await renderEmail('invitation.html', context);
  setBrand(undefined);
  assert.match(html, /Harbor &amp; Sons<\/p>/);
  assert.match(html, /12 Pier Road · License 1234/);
  assert.match(text, /invited you to Harbor & Sons/);
  assert.match(text, /Harbor & Sons · 12 Pier Road · License 1234/);
  assert.doesNotMatch(html + text, /Case Platform/);
});
