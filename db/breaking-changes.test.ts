import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findNewestRelease, readCommittedFile } from '../scripts/checkout/newest-release.mjs';
import { listBreakingChanges } from './breaking-changes.ts';
import { migrationFiles } from './migration-files.ts';

test('[DATABASE-7] processes of the newest release can work on the current schema', () => {
  const release = findNewestRelease();
  if (release === null) return;
  const current = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');
  const changes = listBreakingChanges(readCommittedFile(release, 'db/schema.sql'), current);
  const migrations = migrationFiles().map(({ sql }) => sql);
  const unexplained = changes.filter((change) => !migrations.some((sql) => sql.includes(`-- Compatible: ${change}`)));
  assert.deepEqual(unexplained, [], 'see "Add a column" in CONTRIBUTING.md');
});

const SCHEMA = `-- Made by npm run generate.

-- function words_of
CREATE OR REPLACE FUNCTION public.words_of(text text)
 RETURNS tsquery
 LANGUAGE sql
RETURN 1


-- person
id bigint not null generated always as identity
name text not null default ''::text
agency_id bigint
constraint person_name_check CHECK ((name <> ''::text))
constraint person_pkey PRIMARY KEY (id)
CREATE INDEX person_agency_idx ON public.person USING btree (agency_id)
CREATE UNIQUE INDEX person_name_idx ON public.person USING btree (name) WHERE (agency_id IS NULL)

-- visit
id uuid not null
`;

const CHANGES: [title: string, from: string, to: string, change: string[]][] = [
  ['a removed table', '-- visit\nid uuid not null\n', '', ['visit is gone']],
  ['a removed column', 'agency_id bigint\n', '', ['person: agency_id is gone or different']],
  ['another type', 'agency_id bigint\n', 'agency_id text\n', ['person: agency_id is gone or different']],
  ['a computed column', "default ''::text", "generated always as ('') stored", ['person: name is gone or different']],
  ['a new required column', 'agency_id bigint', 'agency_id bigint\nage integer not null', ['person: age must be given']],
  ['a column that became required', 'agency_id bigint', 'agency_id bigint not null', ['person: agency_id must be given']],
  ['a removed default', " default ''::text", '', ['person: name must be given']],
  ['other unique rows', 'WHERE (agency_id IS NULL)', '', ['person: person_name_idx is gone or different']],
  ['another parameter', '(text text)', '(text text, n int)', ['function words_of: words_of is gone or different']],
  ['a new optional column', 'agency_id bigint', 'agency_id bigint\nage integer', []],
  ['a new column with a default', 'agency_id bigint', 'agency_id bigint\nage integer not null default 0', []],
  ['a column that became optional', "name text not null default ''::text", "name text default ''::text", []],
  ['a removed index', 'CREATE INDEX person_agency_idx ON public.person USING btree (agency_id)\n', '', []],
  ['another function body', 'RETURN 1', 'RETURN 2', []],
];

for (const [title, from, to, expected] of CHANGES)
  test(`[DATABASE-7] ${title} ${expected.length === 0 ? 'does not break' : 'breaks'} the earlier version`, () => {
    assert.ok(SCHEMA.includes(from));
    assert.deepEqual(listBreakingChanges(SCHEMA, SCHEMA.replace(from, to)), expected);
  });
