import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWriter } from './compile-schemas.ts';

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
