import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { generate } from '../scripts/generate.ts';
import { createTestDatabase } from './support/database.ts';

const database = await createTestDatabase();

for (const [path, text] of await generate(database.url)) {
  test(`${path} is what \`npm run generate\` makes`, async () => {
    assert.equal(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'), text);
  });
}
