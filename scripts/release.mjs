import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './checkout/checkout.mjs';

/**
 * `node scripts/release.mjs`: notes that the version of this checkout is what installations run from now on, so that migrations
 * are held against its schema (CONTRIBUTING.md, "Add a column"). Commit what it writes.
 */
const newest = readdirSync(join(ROOT, 'db/migrations'))
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .at(-1);
const [, ...schema] = readFileSync(join(ROOT, 'db/schema.sql'), 'utf8').split('\n');
const head = `-- The schema of the version before, migrations up to ${newest}. Made by \`node scripts/release.mjs\`.`;
writeFileSync(join(ROOT, 'db/released/schema.sql'), [head, ...schema].join('\n'));
console.log(
  `Migrations after ${newest} are held against db/released/schema.sql. Empty REVIEWED in db/released/reviewed.ts.`,
);
