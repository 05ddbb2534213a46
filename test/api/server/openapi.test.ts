import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describeForReaders } from '../../../apps/api/docs/describe-for-readers.ts';
import { describeApi } from '../../../scripts/generate/api-description.ts';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { addCategories } from '../../support/categories.ts';
import { draft, fundCase } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

interface Operation {
  operationId: string;
  security: Record<string, string[]>[];
  requestBody?: { required?: boolean };
  parameters?: { in: string; name: string; required?: boolean }[];
}

const { description } = await describeApi<Operation>();
const { paths, components } = description;
const source = JSON.stringify(description);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const api = await startApi();

describe('[API-5] the description of the API', () => {
  test('passes a strict linter', async () => {
    // The product has no public license, and the description names the default address.
    const rules = { 'info-license': 'off', 'no-server-example.com': 'off' } as const;
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    const published = JSON.stringify(await describeForReaders(description));
    const problems = await lintFromString({ source: published, absoluteRef: 'openapi.json', config });
    assert.deepEqual(
      problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
      [],
    );
    const broken = source.replace('"operationId":"login"', '"operationId":"getProfile"');
    assert.ok((await lintFromString({ source: broken, absoluteRef: 'openapi.json', config })).length > 0, 'the linter looks');
  });

  test('names the shapes that several calls share', () => {
    for (const name of ['Problem', 'Person', 'Chain', 'Message', 'Case', 'Disbursement', 'Profile', 'Tokens']) {
      assert.ok(name in components.schemas, name);
    }
    assert.equal(source.match(/"decision_reason":/g)?.length, 1, 'a request is described once');
  });

  test('is the same as the one that the API serves, which also has examples and code', async () => {
    const { status, body } = await api.anonymous.get('/openapi.json');
    assert.equal(status, 200);
    const expected = await describeForReaders({ ...description, servers: body.servers });
    assert.deepEqual(body, expected);
  });
});

for (const { method, path, operation } of operations) {
  const isOpen = operation.security.length === 0;
  test(`[API-5] ${method} ${path} ${isOpen ? 'is open, as described' : 'requires what its description names'}`, async () => {
    const answer = await api.anonymous.call(method, path.replaceAll(/\{\w+\}/g, '1'));
    if (isOpen) assert.ok(answer.status < 500 && !/bearer/i.test(answer.headers.get('www-authenticate') ?? ''));
    else assert.equal(answer.status, 401);
    if (answer.status < 400) return;
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    const { required } = components.schemas.Problem as { required: string[] };
    assert.deepEqual(
      required.filter((name) => !(name in answer.body)),
      [],
    );
  });
}

test('[API-5] the required fields are those of the description, and no others', async () => {
  const root = await api.as('root');
  for (const { method, path, operation } of operations) {
    // Event streams never end.
    if (method === 'GET' && path.endsWith('/events')) continue;
    const { requestBody, parameters = [], operationId } = operation;
    const answer = await root.call(method, path.replaceAll(/\{\w+\}/g, '1'));
    const fields: string[] = (answer.body.errors ?? []).map(({ field }: { field: string }) => field);
    const headers = parameters.filter((parameter) => parameter.in === 'header');
    for (const { name, required } of headers) {
      assert.equal(answer.status === 422 && fields.includes(name), required === true, `${operationId}: ${name}`);
    }
    if (requestBody?.required === true) assert.ok(answer.status >= 400, `${operationId} goes without a body`);
    else assert.ok(!fields.includes('body') && answer.status !== 415, `${operationId} needs a body`);
  }
});

test('[ERROR-3, API-5] every path has its own methods only, also where another path with parameters matches', async () => {
  const root = await api.as('root');
  const methods = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];
  for (const [path, operations] of Object.entries(paths)) {
    const declared = methods.filter((method) => method.toLowerCase() in operations);
    const allow = (declared.includes('GET') ? [...declared, 'HEAD'] : declared).sort().join(', ');
    for (const method of methods.filter((one) => !declared.includes(one))) {
      const answer = await root.call(method, path.replaceAll(/{\w+}/g, '1'));
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
    }
  }
});

test('[ERROR-3] a method that a path does not have is a 405 that names those it has', async () => {
  const root = await api.as('root');
  for (const [method, path, allow] of [
    ['DELETE', '/api/user/me', 'GET, HEAD, PATCH'],
    ['PUT', '/api/messages/1', 'GET, HEAD, PATCH, POST'],
    ['GET', '/api/user/auth/login', 'POST'],
    // A method that none of our servers supports is rejected before a route is looked up.
    ['PROPFIND', '/api/cases', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ['POST', '/health/live?x=1', 'GET, HEAD'],
  ] as const) {
    const answer = await root.call(method, path);
    assert.deepEqual([answer.status, answer.body.code], [405, 'method_not_allowed'], `${method} ${path}`);
    assert.equal(answer.headers.get('allow'), allow);
  }
  for (const path of ['/api', '/api/user', '/api/cases/1/nothing', '/api/messagesX']) {
    assert.equal((await root.call('DELETE', path)).status, 404, path);
  }
});

/** Fields for texts that people write, with the maximum length that the description promises. */
const TEXTS: { field: string; max: number; send: (who: Client, text: string) => ReturnType<Client['post']> }[] = [
  { field: 'category', max: 100, send: (who, text) => create(who, { category: text }) },
  { field: 'description', max: 2000, send: (who, text) => create(who, { description: text }) },
  {
    field: 'note',
    max: 10_000,
    send: (_who, text) => asRoot((root) => root.post('/api/messages/1/notes', { note: text })),
  },
  {
    field: 'holder_name',
    max: 100,
    send: (who, text) =>
      who.call('PUT', '/api/user/me/bank-account', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          pass_hash: DEMO_PASSWORD,
          holder_name: text,
          account_kind: 'checking',
          routing_number: '021000021',
          account_number: '9876501234',
        }),
      }),
  },
  {
    field: 'first_name',
    max: 100,
    send: (who, text) => who.call('PATCH', '/api/user/me', patch({ first_name: text })),
  },
];
await addCategories(api.pool, [CASE_1], ['a', 'a'.repeat(100)]);
const create = (who: Client, fields: object) =>
  who.post('/api/cases/1/disbursements', { amount_cents: 1, category: 'a', description: 'a', ...fields });
const asRoot = async <T>(work: (root: Client) => Promise<T>) => work(await api.as('root'));
const patch = (fields: object) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(fields),
});

for (const { field, max, send } of TEXTS) {
  test(`[REQUEST-3] ${field} takes ${max} characters and not one more, as its description says`, async () => {
    const surrogate = await api.as('surrogate');
    assert.match(source, new RegExp(`"${field}":\\s*\\{[^}]*"maxLength":${max}\\b`), 'published');
    const longest = await send(surrogate, 'a'.repeat(max));
    assert.ok(longest.status < 300 || longest.status === 404, `${longest.status} ${JSON.stringify(longest.body)}`);
    const longer = await send(surrogate, 'a'.repeat(max + 1));
    assert.deepEqual([longer.status, longer.body.errors?.[0]?.field], [422, field]);
  });
}

test('[REQUEST-3] a reason takes 2,000 characters and not one more', async () => {
  const [surrogate, parent] = [await api.as('surrogate'), await api.as('parent')];
  await fundCase(api, CASE_1, 1_000_000);
  const { id } = await draft(surrogate);
  assert.equal((await surrogate.post(`/api/disbursements/${id}/submit`)).status, 200);
  const { version } = (await parent.get(`/api/disbursements/${id}`)).body;
  const deny = (length: number) => parent.post(`/api/disbursements/${id}/deny`, { version, reason: 'é'.repeat(length) });
  const longer = await deny(2001);
  assert.deepEqual([longer.status, longer.body.errors?.[0]?.field], [422, 'reason']);
  assert.equal((await deny(2000)).status, 200);
});
