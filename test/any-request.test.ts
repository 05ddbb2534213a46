import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startAdmin } from './admin/start-admin.ts';
import { createDice, METHODS, say } from './support/hostile/odd-requests.ts';
import { startApi } from './support/platform.ts';

const api = await startApi();
const admin = await startAdmin({ database: api, storage: api.storage });
const staff = await admin.as('root');
const { token } = await api.as('root');
const cookies = [...staff.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

const VALUES = ['1', '0', '-1', '9e99', '99999999999999999999', '%00', '%ff', '%', '..', '%2e%2e', "'", '[]', 'é', ' '];
const QUERIES = ['', '?', '?a', '?a=%', '?cursor=%00', '?limit=1e9', '?q=%ff', '?__proto__=1', '?q[]=1&q[]=2', '??&&=='];
const HEADERS = [
  'X-A: \xff',
  'Accept: \x01',
  'Accept: */*;q=x',
  'Cookie: =;;a',
  'Cookie: case_session=%',
  'Cookie: api_token=a.b.c',
  'Authorization: Bearer \xff.a.b',
  'Idempotency-Key: %00',
  'If-None-Match: *',
  'Range: bytes=9-1',
  'Expect: 100-continue',
  'Content-Encoding: gzip',
  'X-Forwarded-For: ,,x',
  'Host: a b',
  'Last-Event-ID: x',
];
const TYPES = ['application/json', 'text/plain', 'multipart/form-data', 'multipart/form-data; boundary=b', 'a/b', ';'];
const BODIES = ['', '{', 'null', '[]', '{"__proto__":1}', '"\\u0000"', '{"a":"\\ud800"}', '--b\r\n\r\n', 'a=%&b', '\xff\xfe'];

for (const [name, folder, server, credential] of [
  ['API', 'api', api, `Authorization: Bearer ${token}`],
  ['staff application', 'admin', admin, `Cookie: ${cookies}`],
] as const) {
  test(`[ERROR-5] any request to the ${name} is answered below 500`, async () => {
    const roll = createDice(12);
    const pick = (from: readonly string[]) => from[roll(from.length)] ?? '';
    const table = await readFile(new URL(`../apps/${folder}/routes.txt`, import.meta.url), 'utf8');
    const routes = table.split('\n').flatMap((line) => line.split(/\s+/)[1] ?? []);
    // Event streams never end.
    const ending = routes.filter((url) => !url.includes('events'));
    for (let n = 0; n < 300; n++) {
      const path = pick(ending).replaceAll(/:\w+|\*/g, () => pick(VALUES));
      const body = pick(BODIES);
      const said = [
        `${pick(METHODS)} ${path}${pick(QUERIES)} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        ...(roll(2) === 0 ? [credential] : []),
        pick(HEADERS),
        `Content-Type: ${pick(TYPES)}`,
        `Content-Length: ${body.length}`,
      ];
      const { status } = await say(server.baseUrl, said, body);
      assert.ok(status < 500, `${n}: ${JSON.stringify([said, body, status])}`);
    }
  });
}
