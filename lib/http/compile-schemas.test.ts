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

test('[API-14] what a schema does not name is removed from a request at any depth, except from headers', () => {
  const text = { type: 'string' };
  const person = { type: 'object', properties: { name: text } };
  const schema = {
    type: 'object',
    properties: {
      id: text,
      person: { anyOf: [person, { type: 'null' }] },
      people: { type: 'array', items: { anyOf: [person, { type: 'object', properties: { id: text } }] } },
      either: {
        anyOf: [
          { type: 'array', items: person },
          { type: 'array', items: { type: 'object', properties: { id: text } } },
        ],
      },
      both: { type: 'object', allOf: [person, { type: 'object', properties: { id: text } }] },
      record: { type: 'object', patternProperties: { '.*': text } },
      anything: {},
    },
  };
  const other = { user_id: '7' };
  const open = { record: { any: 'a' }, anything: { any: { field: 1 } } };
  const read = (httpPart: string, input: Record<string, unknown>) => {
    assert.ok(compileCheck({ schema, httpPart })(input));
    return input;
  };
  for (const httpPart of ['body', 'querystring', 'params']) {
    const sent = (more: object) => ({
      id: '1',
      person: { name: 'Ada', ...more },
      people: [
        { name: 'Bob', ...more },
        { id: '2', ...more },
      ],
      either: [{ id: '3', ...more }],
      both: { id: '4', name: 'Eve', ...more },
      ...open,
    });
    const received = read(httpPart, { ...sent(other), ...other, constructor: 'x', _csrf: 'y' });
    assert.deepEqual(received, { ...sent({}), _csrf: 'y' });
    assert.deepEqual(read(httpPart, { person: null, ...other }), { person: null });
  }
  assert.deepEqual(read('headers', { id: '1', ...other }), { id: '1', ...other });
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
