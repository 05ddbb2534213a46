import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { compareSchemas } from './compare-schemas.ts';
import { REVIEWED } from './reviewed.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const released = read('schema.sql');
const [, newest = ''] = /migrations up to (\d{4}_\w+\.sql)\./.exec(released) ?? [];

describe('[DATABASE-7] the previous version works with the schema', () => {
  const findings = compareSchemas(released, read('../schema.sql'));

  test('nothing changes under it but what was looked at (db/released/reviewed.ts)', () => {
    const found = findings.map(({ what }) => what).sort();
    assert.deepEqual(
      found,
      Object.keys(REVIEWED).sort(),
      'expand first, take away in a later version: CONTRIBUTING.md',
    );
  });

  test('what is taken away names the migration since which the version before does without it', () => {
    const before = readdirSync(new URL('../migrations/', import.meta.url)).filter((name) => name <= newest);
    for (const { what, isContract } of findings) {
      const { why, since } = REVIEWED[what] ?? { why: '' };
      assert.ok(why.length > 20, `${what}: say why the version before lives with it`);
      if (isContract)
        assert.ok(since !== undefined && before.includes(since), `${what}: since a migration before ${newest}`);
    }
  });
});

const SCHEMA = `-- Made.

-- function words_of
CREATE OR REPLACE FUNCTION public.words_of(text text)
 RETURNS tsquery
 LANGUAGE sql
RETURN 1


-- person
id bigint not null generated always as identity
name text not null default ''::text
agency_id bigint
kind text not null
constraint person_kind_check CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))
constraint person_kind_key UNIQUE (kind, name)
constraint person_pkey PRIMARY KEY (id)
CREATE INDEX person_agency_idx ON public.person USING btree (agency_id)
CREATE CONSTRAINT TRIGGER person_is_checked AFTER INSERT ON public.person FOR EACH ROW WHEN (
        CASE new.kind
            WHEN 'a'::text THEN true
            ELSE false
        END) EXECUTE FUNCTION check_person()

-- thing
id bigint not null
`;

describe('[DATABASE-7] what a previous version cannot work with is reported', () => {
  const KINDS = `ARRAY['a'::text, 'b'::text]`;
  const last = 'constraint person_pkey PRIMARY KEY (id)';
  /** What is found when this is written instead of that. */
  const changes: [string, string, string, string[]][] = [
    ['a table is gone', '-- thing\nid bigint not null\n', '', ['table thing is gone']],
    ['a table has another name', '-- thing', '-- matter', ['table thing is gone']],
    ['a function is gone', '-- function words_of', '-- function terms_of', ['function words_of is gone']],
    [
      'a function takes something else',
      '(text text)',
      '(text text, l int)',
      ['function words_of is called in another way'],
    ],
    ['a column is gone', 'agency_id bigint\n', '', ['column person.agency_id is gone']],
    ['a column has another name', 'agency_id bigint\n', 'firm_id bigint\n', ['column person.agency_id is gone']],
    ['a column has another type', 'agency_id bigint', 'agency_id text', ['column person.agency_id has another type']],
    [
      'a column must be given',
      'agency_id bigint',
      'agency_id bigint not null',
      ['column person.agency_id must not be null any more'],
    ],
    ['a default is gone', ` default ''::text`, '', ['column person.name has no default any more']],
    [
      'a column is computed',
      'kind text not null',
      `kind text not null generated always as ('a') stored`,
      ['column person.kind cannot be written any more'],
    ],
    [
      'a new column must be given',
      'kind text',
      'age int not null\nkind text',
      ['column person.age is new and must be given'],
    ],
    ['a value is refused', KINDS, `ARRAY['a'::text]`, ['person_kind_check of person is new or has changed']],
    [
      'a check is new',
      last,
      `constraint named CHECK ((name <> ''::text))\n${last}`,
      ['named of person is new or has changed'],
    ],
    [
      'a reference is new',
      last,
      `constraint at FOREIGN KEY (agency_id) REFERENCES thing(id)\n${last}`,
      ['at of person is new or has changed'],
    ],
    [
      'what on conflict stands on is gone',
      'constraint person_kind_key UNIQUE (kind, name)\n',
      '',
      ['person_kind_key of person is gone'],
    ],
    ['rows must differ', 'CREATE INDEX', 'CREATE UNIQUE INDEX', ['person_agency_idx of person is new or has changed']],
    ['a trigger has changed', 'ELSE false', 'ELSE true', ['person_is_checked of person is new or has changed']],
  ];
  for (const [title, from, to, what] of changes) {
    test(title, () => {
      const found = compareSchemas(SCHEMA, SCHEMA.replace(from, to)).map((finding) => finding.what);
      assert.deepEqual(found, what);
    });
  }

  test('what it lives with is not', () => {
    const { length } = compareSchemas(
      SCHEMA,
      SCHEMA.replace(KINDS, `ARRAY['a'::text, 'c'::text, 'b'::text]`)
        .replace('kind text', 'thing_id bigint\nsince timestamptz not null default now()\nkind text')
        .replace(
          last,
          `${last}\nconstraint person_thing_fkey FOREIGN KEY (thing_id) REFERENCES thing(id)\nconstraint thing_check CHECK ((thing_id > 0))`,
        )
        .replace(
          'CREATE INDEX person_agency_idx ON public.person USING btree (agency_id)\n',
          'CREATE UNIQUE INDEX person_thing_idx ON public.person USING btree (thing_id)\n',
        )
        .replace('name text not null default', 'name text default')
        .concat('\n-- another\nid bigint not null\n'),
    );
    assert.equal(length, 0);
  });
});
