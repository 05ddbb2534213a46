/**
 * For each table with an age limit: a statement that inserts `$3` rows of the time `$1` with names that begin with `$2`, and the
 * expression for their age.
 */
export const oldRowsOf = (person: { id: number; user_type: string }): Record<string, { insert: string; age: string }> => ({
  idempotency_key: {
    insert: `insert into idempotency_key (user_id, key, request_hash, created_at)
             select ${person.id}, $2 || n, sha256('x'), $1 from generate_series(1, $3::int) n`,
    age: 'created_at',
  },
  admin_session: {
    insert: `insert into admin_session (id_hash, user_id, user_type, csrf_token, created_at, last_active_at, confirmed_at)
             select sha256(($2 || n)::bytea), ${person.id}, '${person.user_type}', 'x', $1, $1, $1 from generate_series(1, $3::int) n`,
    age: 'last_active_at',
  },
  ended_web_session: {
    insert: `insert into ended_web_session (id_hash, user_id, ended_at)
             select sha256(($2 || n)::bytea), ${person.id}, $1 from generate_series(1, $3::int) n`,
    age: 'ended_at',
  },
  tfa_challenge: {
    insert: `insert into tfa_challenge (id, user_id, purpose, method, created_at, expires_at)
             select md5($2 || n)::uuid, ${person.id}, 'api_login', 'email', $1, $1 from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  throttle: {
    insert: `insert into throttle (key, points, expire)
             select $2 || n, 1, extract(epoch from $1::timestamptz) * 1000 from generate_series(1, $3::int) n`,
    age: 'to_timestamp(expire / 1000.0)',
  },
  sign_in: {
    insert: `insert into sign_in (user_id, layer, user_agent, signed_in_at)
             select ${person.id}, 'api', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'signed_in_at',
  },
  password_reset: {
    insert: `insert into password_reset (user_id, token_hash, created_at, expires_at)
             select ${person.id}, sha256(($2 || n)::bytea), $1, $1 from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  address_change: {
    insert: `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, ended_at)
             select ${person.id}, 'old@demo.test', 'new@demo.test', sha256(($2 || n)::bytea), ${person.id}, $1, $1, $1
               from generate_series(1, $3::int) n`,
    age: 'expires_at',
  },
  agency_event: {
    insert: `insert into agency_event (agency_id, event_id, type, received_at)
             select (select min(id) from agency), $2 || n, 'told', $1 from generate_series(1, $3::int) n`,
    age: 'received_at',
  },
  delivery: {
    insert: `insert into delivery (delivery_key, channel, event, recipient, state, created_at)
             select $2 || n, 'email', 'new_message', 'old@demo.test', 'sent', $1 from generate_series(1, $3::int) n`,
    age: 'created_at',
  },
  delivery_key: {
    insert: `insert into delivery_key (key, delivery_id, created_at) select 'key-' || $2 || n, n, $1 from generate_series(1, $3::int) n`,
    age: 'created_at',
  },
  provider_report: {
    insert: `insert into provider_report (source, report_id, received_at)
             select 'twilio', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'received_at',
  },
  suppression_lift: {
    insert: `insert into suppression_lift (channel, address, lifted_at)
             select 'email', $2 || n, $1 from generate_series(1, $3::int) n`,
    age: 'lifted_at',
  },
});
