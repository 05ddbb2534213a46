import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createPool } from '@case-platform/lib/database';
import { dumpSchema } from '../db/dump-schema.ts';
import { migrate } from '../db/migrate.ts';

/** Writes everything that is made from something else: needs `DATABASE_URL` of an empty or migrated database. */
const url = process.env.DATABASE_URL ?? '';
const root = new URL('../', import.meta.url);
const pool = createPool({ url, name: 'generate' });
await migrate(pool);
writeFileSync(new URL('db/schema.sql', root), await dumpSchema(pool));
await pool.end();
bin('kysely-codegen', [
  ...['--dialect', 'postgres', '--url', url, '--out-file', 'db/types.ts', '--default-schema', 'public'],
  ...[
    '--include-pattern',
    'public.*',
    '--type-mapping',
    '{"int8":"number","timestamptz":"Date"}',
    '--env-file',
    '/dev/null',
  ],
]);

function bin(name: string, args: string[]): void {
  execFileSync(new URL(`node_modules/.bin/${name}`, root).pathname, args, { cwd: root, stdio: 'inherit' });
}
