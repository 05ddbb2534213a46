import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { issueAgencyKey } from '@case-platform/modules/accounts';
import { describeApi } from '../../../scripts/generate/api-description.ts';
import type { CastName } from '../../support/cast.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/** Each call treats unusual bodies and parameters as its description says. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  required?: string[];
  minProperties?: number;
}
interface Body {
  required?: boolean;
  content: Record<string, { schema: Schema }>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}
interface Operation {
  parameters?: Parameter[];
  security: Record<string, string[]>[];
  requestBody?: Body;
}

const { paths, components } = (await describeApi<Operation, Schema>()).description;
const api = await startApi();
const { key: agencyKey } = await issueAgencyKey(api.db, 1, { actor: null, origin: SYSTEM });
const people: Client[] = await Promise.all((['root', 'surrogate', 'parent'] satisfies CastName[]).map((name) => api.as(name)));

/** A value for any required parameter or header, long enough for each. */
const ANY = 'x'.repeat(40);

function resolve({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined ? schema : resolve(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
}

function takesNull(given: Schema): boolean {
  const { type, anyOf } = resolve(given);
  return [type].flat().includes('null') || (anyOf?.some(takesNull) ?? false);
}

function takesEmpty(given: Schema): boolean {
  const { type, anyOf, required = [], minProperties = 0 } = resolve(given);
  if (anyOf !== undefined) return anyOf.some(takesEmpty);
  return [type].flat().includes('object') && required.length === 0 && minProperties === 0;
}

/** Makes a call as the first person whom the guard lets in, because a guard's rejection says nothing about the body. */
async function send(
  method: string,
  url: string,
  { security, parameters }: Operation,
  { text, type = 'application/json', parameter = [] }: { text?: string; type?: string; parameter?: string[] } = {},
): Promise<Answer> {
  const headers: Record<string, string> = text === undefined ? {} : { 'content-type': type };
  const needed = (parameters ?? []).filter(({ required }) => required === true);
  for (const { name } of needed.filter((one) => one.in === 'header')) headers[name] = ANY;
  const query = needed.filter((one) => one.in === 'query').map(({ name }) => `${name}=${ANY}`);
  const path = `${url.replaceAll(/\{\w+\}/g, '1')}?${[...query, ...parameter].join('&')}`;
  const keys = { agencyKey: { 'x-api-key': agencyKey }, masterKey: { 'x-master-api-key': TEST_SECRETS.masterApiKey } };
  for (const [name, key] of Object.entries(keys)) if (security.some((one) => name in one)) Object.assign(headers, key);
  const isPersons = security.some((one) => 'bearer' in one);
  let answer: Answer | undefined;
  for (const who of isPersons ? people : [api.anonymous]) {
    answer = await who.call(method, path, {
      headers,
      ...(text === undefined ? {} : { body: text }),
    });
    if (answer.status !== 403) return answer;
  }
  assert.fail(`${method} ${path}: no one is let in, or the body is checked too late: ${answer?.status}`);
}

const CALLS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([name, operation]) =>
    ['post', 'put', 'patch', 'delete'].includes(name)
      ? [{ method: name.toUpperCase(), path, operation, body: operation.requestBody }]
      : [],
  ),
);
/** Calls of providers, which are rejected by their signature before their body is checked. */
const SIGNED = CALLS.filter(({ operation }) => operation.security.some((one) => /Signature$/.test(Object.keys(one)[0] ?? '')));

describe('a call’s body', () => {
  for (const { method, path, operation, body } of CALLS.filter((call) => !SIGNED.includes(call))) {
    test(`[API-5] ${method} ${path} accepts no body, null, and an empty object as described`, async () => {
      const schema = body?.content['application/json']?.schema;
      const rows: [what: string, text: string | undefined, isTaken: boolean][] = [
        ['no body', undefined, body?.required !== true],
        ...(body !== undefined && schema === undefined
          ? []
          : ([
              ['null', 'null', schema === undefined || takesNull(schema)],
              ['an empty object', '{}', schema === undefined || takesEmpty(schema)],
            ] as [string, string, boolean][])),
      ];
      for (const [what, text, isTaken] of rows) {
        const { status, body: said } = await send(method, path, operation, text === undefined ? {} : { text });
        const words = `${what}: ${status} ${JSON.stringify(said)}`;
        if (isTaken) assert.ok(status < 500 && ![400, 415, 422].includes(status), words);
        else assert.ok([415, 422].includes(status), words);
      }
    });
  }
});

describe('input that a call does not take', () => {
  const FORM = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n';
  for (const { method, path, operation, body } of CALLS.filter((call) => !SIGNED.includes(call))) {
    const types = Object.keys(body?.content ?? {});
    if (types.length !== 1 || types[0] !== 'application/json') continue;
    test(`[ERROR-3] ${method} ${path} answers 415 to a body that is not JSON`, async () => {
      const bodies = { 'text/plain': '{}', 'application/xml': '<a/>', 'multipart/form-data; boundary=x': FORM };
      for (const [type, text] of Object.entries(bodies))
        assert.equal((await send(method, path, operation, { text, type })).status, 415, type);
    });
  }

  const LISTS = Object.entries(paths).flatMap(([path, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'cursor') ? [{ path, operation: get }] : [],
  );
  for (const { path, operation } of LISTS)
    test(`[API-2] GET ${path} names a parameter that it does not have`, async () => {
      const { status, body } = await send('GET', path, operation, { parameter: ['limit=1', 'foo=bar'] });
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'foo'], JSON.stringify(body));
    });
});
