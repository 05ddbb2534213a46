import { schema, text } from './write.mjs';

/** Which records are one person's, and whom a person may not make their second (PERSON-1, ADDRESS-6). */

const ONE_PERSON = 'test/admin/disbursements/one-person.test.ts';
const ROLES = 'test/admin/roles/role-grants-take-two.test.ts';
const DECIDE = 'modules/permissions/decide-role-grant.ts';
const PUSHES = 'test/api/notifications/notifications.test.ts';
const SUBSCRIBE = 'modules/notifications/push/push-subscriptions.ts';
const ACCOUNTS = 'test/admin/batches/batch-safety.test.ts';
const OWN_ADDRESS = 'test/api/accounts/own-address.test.ts';
const SECOND = 'test/admin/second-person.test.ts';
const SECOND_PERSON = 'modules/accounts/people/second-person.ts';

/**
 * @param {string} name of a function of the database
 * @param {string} find stands in it
 * @param {string} put
 * @returns {string} SQL that puts the one in the place of the other
 */
function within(name, find, put) {
  const body = `pg_get_functiondef('${name}'::regproc)`;
  return `do $do$ begin
    if position($find$${find}$find$ in ${body}) = 0 then raise exception 'not in ${name}'; end if;
    execute replace(${body}, $find$${find}$find$, $put$${put}$put$);
  end $do$`;
}

const byWhatIsSharedNow = `create or replace function person_records(record bigint) returns bigint[] language sql stable
  return (
    with recursive person as (
      select u.id, u.email_address, u.confirmed_phone from user_account u where u.id = record
      union
      select u.id, u.email_address, u.confirmed_phone
        from person p join user_account u on u.email_address = p.email_address or u.confirmed_phone = p.confirmed_phone)
    select array_agg(p.id order by p.id) from person p)`;
const throughNoThird = `create or replace function person_records(record bigint) returns bigint[] language sql stable as
  'select array_agg(o.id) from user_account u
     join user_account o on o.email_address = u.email_address or o.proved_phones && u.proved_phones or o.id = u.id
    where u.id = record'`;

// biome-ignore format: a mutant a line
export const PERSONS = [
  text(
    'the code lets somebody decide by an address that they gave another',
    SECOND_PERSON,
    'if (found?.is_others !== true) return;',
    'if (found !== undefined) return;',
    SECOND,
  ),
  text(
    'whose address others have changed is listed as the second person',
    SECOND_PERSON,
    ' and not ${isOthersChecker(record, others)}',
    '',
    SECOND,
  ),
  ...[
    ['banking_batch_takes_its_own_checker', 'banking_batch'],
    ['banking_batch_takes_its_own_payer', 'banking_batch'],
    ['batch_signature_takes_its_own_signer', 'batch_signature'],
    ['cash_entry_takes_its_own_checker', 'cash_entry'],
    ['bank_return_file_takes_its_own_checker', 'bank_return_file'],
    ['role_grant_takes_its_own_checker', 'role_grant'],
  ].map(([trigger, table]) =>
    schema(
      `${table} takes whose address others have changed (${trigger})`,
      `drop trigger ${trigger} on ${table}`,
      SECOND,
    ),
  ),
  text(
    'a confirmed role follows an invitation to another address',
    'modules/accounts/people/edit-user.ts',
    '(await grantAnew(tx, edited, mails.grantRole, change))',
    'change.now > new Date(0)',
    ROLES,
  ),
  text(
    'whose account was corrected since pays again what came back',
    'modules/disbursements/retry-disbursement.ts',
    'array[d.payee_id, a.created_by] || a.entered_by',
    'array[d.payee_id, a.created_by]',
    SECOND,
  ),
  schema('records that share an address are two persons', within('keep_one_person', 'u.email_address = new.email_address', 'false'), ONE_PERSON),
  schema('records that share a proved phone are two persons', within('keep_one_person', 'u.proved_phones && new.proved_phones', 'false'), ONE_PERSON),
  schema('decided: records are one person through no third record', throughNoThird, ONE_PERSON),
  schema('who shares an address no longer is somebody else', byWhatIsSharedNow, ONE_PERSON, OWN_ADDRESS),
  schema('a new record is a person of its own', 'drop trigger user_account_is_a_new_person on user_account', ONE_PERSON),
  schema('who proves a number stays a person of their own', 'drop trigger user_account_stays_one_person on user_account', ONE_PERSON),
  schema('whoever comes to share something parts from whom they were', within('keep_one_person', "old.status = 'invited'", 'true'), ONE_PERSON, OWN_ADDRESS),
  schema('a mistaken invitation makes two people one', within('keep_one_person', "old.status = 'invited'", 'false'), ONE_PERSON),
  schema('two that come to an address at once are two', within('keep_one_person', 'perform pg_advisory_xact_lock(7214010021);', ''), ONE_PERSON),
  schema('decided: a proved number is forgotten', 'drop trigger user_account_keeps_confirmed_phone on user_account', ONE_PERSON),
  schema('decided: of proved numbers only the last counts', within('keep_confirmed_phone', 'new.proved_phones || new.confirmed_phone', 'array[new.confirmed_phone]'), ONE_PERSON),
  schema('who has entered an account is forgotten with the next row', 'drop trigger payee_bank_account_keeps_entered_by on payee_bank_account', ACCOUNTS),
  schema('who has entered an account is forgotten with the bank’s correction', within('keep_entered_by', "a.flag_code like 'C%' or ", ''), ACCOUNTS),
  schema('an owner’s own word leaves somebody else’s', within('keep_entered_by', 'if new.created_by <> new.user_id then', 'if true then'), ACCOUNTS),
  schema('who has entered the number before approves a batch that pays to it', within('batch_insiders', '|| a.entered_by', ''), ACCOUNTS),
  schema('who has entered the number before decides about a request that pays to it', within('disbursement_insiders', '|| a.entered_by', ''), ACCOUNTS),
  text('more for a role is confirmed by whoever gets it', DECIDE, 'else await refuseWhoMayLess(tx, grant, by);', 'else void refuseWhoMayLess;', ROLES),
  text('more for a role that nobody else may is never confirmed', DECIDE, 'and not ${lacks(sql`w.id`)}', '', ROLES),
  text('one person’s second record takes the browser from the first', SUBSCRIBE, 'u.id <> all (${recordsOf(user)})', 'u.id <> ${user.id}', PUSHES),
  text('whoever subscribes leaves the browser to the person before', SUBSCRIBE, 'u.id <> all (${recordsOf(user)})', 'u.id = 0', PUSHES),
  text('a browser is never another record’s too', SUBSCRIBE, 'where user_id = any (${recordsOf(user)}) and user_id <> ${user.id}', 'where user_id <> user_id', PUSHES),
];
