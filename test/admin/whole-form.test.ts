import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
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
