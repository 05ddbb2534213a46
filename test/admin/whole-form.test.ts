import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { eventually } from '../support/eventually.ts';
import { openSpools } from '../support/hostile/open-spools.ts';
import { messagesDesk } from './inbox/messages-desk.ts';
import { startAdmin } from './start-admin.ts';

const admin = await startAdmin();
const root = await admin.as('root');

test('[FILE-6] a file whose name cannot be read is reported on the page, and nothing is sent without it', async () => {
  const chain = await (await messagesDesk(admin)).receive('A question');
  const count = () => query(admin.db, sql`select count(*) from message`);
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await root.get('/account')).text)?.[1] ?? '';
  const before = await count();
  for (const disposition of ['name="files"; filename="a\rb.txt"', 'name="files"; filename*=UTF-8\'\'a%0Ab.txt', 'name="files"']) {
    const field = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
    const file = `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\ncontent`;
    const body = [field('_csrf', csrf), field('message', 'With it'), file, '--b--\r\n'].join('\r\n');
    const headers = { 'content-type': 'multipart/form-data; boundary=b', accept: 'text/html' };
    const page = await root.call('POST', `/messages/${chain}`, { headers, body });
    assert.equal(page.status, 422, page.text);
    assert.match(page.text, /With it/);
  }
  assert.deepEqual(await count(), before);
});

test('[FILE-5] whatever a form with files fails of, none of them stays open', async () => {
  const chain = await (await messagesDesk(admin)).receive('Another question');
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await root.get('/account')).text)?.[1] ?? '';
  const part = (rest: string, value: string) => `--b\r\nContent-Disposition: form-data; ${rest}\r\n\r\n${value}\r\n`;
  const field = (name: string, value: string) => part(`name="${name}"`, value);
  const file = part('name="files"; filename="a.txt"', 'content');
  const reply = `/messages/${chain}`;
  const rows: [what: string, path: string, more: string, status: number][] = [
    ['a message that is sent', reply, field('message', 'Sent'), 303],
    ['a token that was sent twice', reply, field('_csrf', csrf), 403],
    ['a message that is too long', reply, field('message', 'a'.repeat(10_001)), 422],
    ['a field that is too long', reply, field('message', 'a'.repeat(64 * 1024 + 1)), 422],
    ['a field that was sent twice', reply, field('message', 'a') + field('message', 'b'), 422],
    ['a part that cannot be read', reply, `--b\r\nContent-Disposition: attachment; name="x"\r\n\r\na\r\n`, 422],
    ['too many files', reply, file.repeat(40), 422],
    ['a text that is named like a picture', reply, part('name="files"; filename="a.png"', 'a') + field('message', 'a'), 422],
    ['a conversation that does not exist', '/messages/999999999', field('message', 'a'), 404],
    ['an impossible conversation', '/messages/x', field('message', 'a'), 404],
    ['a new conversation without recipients', '/messages', field('message', 'a'), 422],
    ['an empty return file', '/batches/returns', '', 422],
  ];
  const before = openSpools();
  for (const [what, path, more, status] of rows) {
    const body = `${field('_csrf', csrf)}${file}${file}${more}--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b', accept: 'text/html' };
    const page = await root.call('POST', path, { headers, body });
    assert.equal(page.status, status, `${what}: ${page.text.slice(-800)}`);
    await eventually(`its files are closed: ${what}`, () => openSpools(before).length === 0);
  }
});
