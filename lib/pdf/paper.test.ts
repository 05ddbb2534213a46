import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paperOf } from './paper.ts';

test('[STATEMENT-4] paper is as chosen, else as usual in the reader’s region, else Letter', () => {
  assert.deepEqual([paperOf('a4', 'en-US'), paperOf('letter', 'de-DE')], ['a4', 'letter']);
  for (const language of ['', 'en', 'de', 'en-US', 'en-US,de-DE;q=0.5', 'fr-CA', 'es-MX', '*'])
    assert.equal(paperOf(undefined, language), 'letter', language);
  for (const language of ['en-GB', 'de-DE,en-US;q=0.5', 'zh-Hant-TW', ' fr-FR'])
    assert.equal(paperOf(undefined, language), 'a4', language);
});
