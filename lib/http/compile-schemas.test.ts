import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCheck, compileWriter } from './compile-schemas.ts';

test('[API-5] an answer is written as its schema says where it can be null, and has no other fields', () => {
  const time = { type: 'string', format: 'date-time' };
  const person = { type: 'object', properties: { name: { type: 'string' }, since: time }, required: ['name'] };
  const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }], description: 'Null if unknown.' });
  const chain = orNull({ type: 'object', properties: { by: orNull(person), all: { type: 'array', items: orNull(person) } } });
  const write = compileWriter({ schema: { type: 'object', properties: { chain, either: { anyOf: [time, person] } } } });
  const since = new Date(0);
  const ada = { name: 'Ada', since, secret: 1 };
  const written = { name: 'Ada', since: '1970-01-01T00:00:00.000Z' };
  assert.deepEqual(JSON.parse(write({ chain: { by: ada, all: [null, ada], secret: 1 }, either: ada })), {
    chain: { by: written, all: [null, written] },
    either: written,
  });
  assert.deepEqual(JSON.parse(write({ chain: { by: null, all: [] }, either: since })), {
    chain: { by: null, all: [] },
    either: written.since,
  });
  assert.deepEqual(JSON.parse(write({ chain: null })), { chain: null });
});

test('[API-3] text of an address has one spelling for each number and boolean, and a body has the right types itself', () => {
  const types = {
    integer: { type: 'integer' },
    boolean: { type: 'boolean' },
    either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  };
  const schema = { type: 'object', properties: types };
  const read = (httpPart: string, name: string, value: unknown) => {
    const input = { [name]: value };
    return compileCheck({ schema, httpPart })(input) ? input[name] : 'rejected';
  };
  const rows: [name: string, text: string, value: unknown][] = [
    ['integer', '0', 0],
    ['integer', '-7', -7],
    ['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['either', '12', 12],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
  ];
  for (const [name, text, value] of rows)
    for (const part of ['querystring', 'params', 'headers'])
      assert.deepEqual([read(part, name, text), read('body', name, text), read('body', name, value)], [value, 'rejected', value]);
  for (const text of ['01', '-0', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', '', '12345678901234567', '１'])
    assert.equal(read('querystring', 'integer', text), 'rejected', text);
  for (const text of ['TRUE', '1', 'yes', '']) assert.equal(read('querystring', 'boolean', text), 'rejected', text);
  assert.equal(compileCheck({ schema: { ...schema, 'x-streamed': true }, httpPart: 'body' })({ integer: 'x' }), true);
});
