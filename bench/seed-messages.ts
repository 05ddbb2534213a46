import type pg from 'pg';

/** Ids of conversations and messages start here, so that no id of another table is mistaken for one of them. */
const FIRST_CHAIN = 1_000_001;
export const FIRST_MESSAGE = 100_000_001;
export const MESSAGES_A_CHAIN = 10;
/** The number of conversations in case 1, which is the measured parent's. */
const CHAINS_OF_CASE_1 = 20;

interface Case1 {
  caseIds: number[];
  escrow: number;
  parent: number;
  surrogate: number;
}

/**
 * Writes conversations of ten messages each: the first ones into case 1, the others across the cases of the temporary table
 * `bench_case`. Ids follow time, and the messages of a conversation are far apart, as in real use.
 * @returns the conversations that the measured parent writes to, all with the same people.
 */
export async function seedMessages(client: pg.Client, chains: number, case1: Case1): Promise<number[]> {
  await client.query(PLAN_CHAINS, [chains, case1.caseIds[0], case1.escrow, case1.parent, case1.surrogate]);
  await client.query(PLAN_MESSAGES);
  await client.query('analyze bench_chain, bench_message');
  await withoutIndexes(client, async () => {
    for (const statement of [CHAINS, MEMBERS, MESSAGES, MARKS]) await client.query(statement);
  });
  for (const table of ['message_chain', 'message']) {
    await client.query(`select setval('${table}_id_seq', (select max(id) from ${table}))`);
  }
  const { rows } = await client.query<{ id: number }>(
    `select id::int from bench_chain where n <= ${CHAINS_OF_CASE_1} and kind = 2 order by n`,
  );
  return rows.map((row) => row.id);
}

/** Fills the tables of messages without indexes and foreign keys, which is several times faster, and restores them afterwards. */
async function withoutIndexes(client: pg.Client, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid::regclass::text in ('message', 'message_recipient', 'message_chain', 'message_chain_group')
        and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await client.query("set session_replication_role = 'replica'");
  await fill();
  await client.query("set session_replication_role = 'origin'");
  for (const { definition } of rows) await client.query(definition);
}

/** Kind 0: parent and staff. Kind 1: surrogate and staff. Kind 2: parent and surrogate. Case 1 has none of kind 1. */
const PLAN_CHAINS = `
  create temp table bench_chain as
  select ${FIRST_CHAIN - 1} + s.n as id, s.n,
         case when s.n <= ${CHAINS_OF_CASE_1} then s.n % 2 * 2 else s.n % 3 end as kind,
         coalesce(c.id, $2) as case_id, coalesce(c.admin_id, $3) as admin_id,
         coalesce(c.parent_id, $4) as parent_id, coalesce(c.surrogate_id, $5) as surrogate_id
    from generate_series(1, $1::int) as s (n)
    left join bench_case c
      on s.n > ${CHAINS_OF_CASE_1} and c.n = s.n % (select count(*) from bench_case) + 1`;

/** Every third message is from staff. The last two of every fifth chain still wait for someone. */
const PLAN_MESSAGES = `
  create temp table bench_message as
  select ${FIRST_MESSAGE - 1} + (m - 1) * total + c.n as id, c.id as chain_id, c.n, m, c.kind, from_type,
         case from_type when 'admin' then admin_id when 'surrogate' then surrogate_id else parent_id end as from_id,
         -- The other one of a chain between two people.
         case when kind = 0 and from_type = 'admin' or kind = 2 and from_type = 'surrogate' then 'ip'
              when kind = 1 and from_type = 'admin' or kind = 2 and from_type = 'ip' then 'surrogate' end as to_type,
         parent_id, surrogate_id,
         now() - interval '1 year' * (1 - ((m - 1) * total + c.n)::float8 / total / ${MESSAGES_A_CHAIN}) as created_at,
         c.n % 5 = 0 and m > ${MESSAGES_A_CHAIN - 2} as waits
    from (select count(*) as total from bench_chain) as counted, bench_chain c,
         generate_series(1, ${MESSAGES_A_CHAIN}) as m,
         lateral (select case when m % 3 = 0 then 'admin'
                              when kind = 1 or kind = 2 and m % 2 = 0 then 'surrogate'
                              else 'ip' end as from_type) as sender`;

/** Their words are already in the form that the applications write: the texts have no accents and signs. */
const CHAINS = `
  insert into message_chain
         (id, subject, search, search_version, case_id, assigned_admin_id, created_by, created_at, last_message_id, last_message_at)
  select c.id, subject, to_tsvector('simple', subject), 2, c.case_id, c.admin_id, first.from_id, first.created_at, last.id, last.created_at
    from bench_chain c
    join bench_message first on first.chain_id = c.id and first.m = 1
    join bench_message last on last.chain_id = c.id and last.m = ${MESSAGES_A_CHAIN},
         format('Question %s about %s', c.n, (array['travel', 'insurance', 'clothes', 'fees'])[c.n % 4 + 1]) as subject
   order by c.id`;

const MEMBERS = `
  insert into message_chain_group (chain_id, user_id, last_message_id)
  select c.id, person, made.last_message_id
    from bench_chain c join message_chain made on made.id = c.id,
         unnest(case kind when 0 then array[parent_id]
                          when 1 then array[surrogate_id]
                          else array[parent_id, surrogate_id] end) as person
   order by c.id`;

const MESSAGES = `
  insert into message (id, chain_id, from_id, from_type, to_id, to_type, to_admin, message, admin_viewed, created_at,
                       search, search_version)
  select id, chain_id, from_id, from_type, case to_type when 'ip' then parent_id when 'surrogate' then surrogate_id end,
         to_type, from_type <> 'admin', text,
         case when from_type <> 'admin' and not waits then created_at + interval '1 hour' end, created_at,
         to_tsvector('simple', text), 2
    from bench_message,
         format('Message %s of chain %s: receipt %s over %s dollars is on its way, please write when it has arrived.',
                m, n, md5(id::text), id % 997) as text
   order by id`;

const MARKS = `
  insert into message_recipient (message_id, user_id, chain_id, viewed)
  select b.id, g.user_id, b.chain_id, case when not waits then b.created_at + interval '1 hour' end
    from bench_message b join message_chain_group g on g.chain_id = b.chain_id and g.user_id <> b.from_id
   order by b.id`;
