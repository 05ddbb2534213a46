import type { OldRows } from '@case-platform/lib/database/old-rows';
import { limitTo, sql } from '@case-platform/lib/sql';

/** Rows of accounts that are deleted after a time; see `OldRows` (RETAIN-1). */
export const OLD_ACCOUNT_ROWS: readonly OldRows[] = [
  {
    table: 'admin_session',
    retention: 'sessions',
    step: ({ before, limit }) => sql`
      delete from admin_session where id_hash = any(array(
        select id_hash from admin_session where last_active_at < ${before}
         order by last_active_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    table: 'ended_web_session',
    retention: 'ended_sessions',
    step: ({ before, limit }) => sql`
      delete from ended_web_session where id_hash = any(array(
        select id_hash from ended_web_session where ended_at < ${before}
         order by ended_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    table: 'tfa_challenge',
    retention: 'challenges',
    step: ({ before, limit }) => sql`
      delete from tfa_challenge where id = any(array(
        select id from tfa_challenge where expires_at < ${before}
         order by expires_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    table: 'throttle',
    retention: 'throttles',
    step: ({ before, limit }) => sql`
      delete from throttle where key = any(array(
        select key from throttle where expire < ${before.getTime()}
         order by expire ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    // The time and the language of each person's last sign-in stay in `last_sign_in`.
    table: 'sign_in',
    retention: 'sign_ins',
    hasMonths: true,
    step: ({ before, limit }) => sql`
      delete from sign_in where signed_in_at < ${before} and id = any(array(
        select id from sign_in where signed_in_at < ${before}
         order by signed_in_at, id ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    // The last invitation of a person who is still invited stays, because their record shows when it was sent.
    table: 'password_reset',
    retention: 'links',
    step: ({ before, limit, after }) => sql`
      with old as materialized (
             select id, user_id, purpose, expires_at from password_reset
              where expires_at < ${before} and (expires_at, id) > (${after.at}::timestamptz, ${after.id}::bigint)
              order by expires_at, id ${limitTo(limit)} for update skip locked),
           removed as (
             delete from password_reset where id = any(array(
               select o.id from old o join user_account u on u.id = o.user_id
                where o.purpose <> 'invitation' or u.status <> 'invited'
                   or exists (select from password_reset n
                               where n.user_id = o.user_id and n.purpose = 'invitation' and n.id > o.id))))
      select expires_at::text as at, id from old order by expires_at, id`,
  },
  {
    table: 'address_change',
    retention: 'links',
    step: ({ before, limit }) => sql`
      delete from address_change where id = any(array(
        select id from address_change where expires_at < ${before}
         order by expires_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
  {
    table: 'agency_event',
    retention: 'agency_events',
    step: ({ before, limit }) => sql`
      delete from agency_event where ctid = any(array(
        select ctid from agency_event where received_at < ${before}
         order by received_at ${limitTo(limit)} for update skip locked)) returning 1`,
  },
];
