import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { generate } from '../scripts/generate/generate.ts';
import { createTestDatabase, serverUrl } from './support/database.ts';

const database = await createTestDatabase();

// This connects as the schema's owner, because the applications' role may not migrate.
for (const [path, text] of await generate(serverUrl(new URL(database.url).pathname.slice(1)))) {
  test(`${path} is what \`npm run generate\` makes`, async () => {
    assert.equal(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'), text);
  });
}
