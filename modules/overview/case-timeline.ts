import { defineCursor, idPart, momentPart } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { limitTo, query, rowsFor, type Sql, sql, trustedSql, unionOf } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { adminHasPermission, type Permission } from '@case-platform/modules/accounts';
import { canAccessCase, caseIsVisible, personJson } from '@case-platform/modules/cases';
import { contentIsVisible, REQUEST_READERS } from '@case-platform/modules/disbursements';
import { balanceIsVisible } from '@case-platform/modules/ledger';
import { chainIsVisible } from '@case-platform/modules/messaging';
import { type CaseEvent, type DescribedEvent, describeCaseEvent } from './case-event-words.ts';

/** The kinds of events; their order decides between events of the same moment. */
export const CASE_EVENT_KINDS = ['status', 'milestone', 'document', 'message', 'money', 'request', 'person'] as const;
export type CaseEventKind = (typeof CASE_EVENT_KINDS)[number];

/** An event of a case, as one reader may see it (TIMELINE-1). */
export interface CaseTimelineEntry extends DescribedEvent {
  at: Date;
  kind: CaseEventKind;
}

interface Filter {
  kind?: CaseEventKind | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The position of an event in the timeline: its time, its kind, and its id. */
interface Place {
  at: string;
  rank: number;
  id: number;
}

/**
 * Lists the events of a case, newest first, one keyset page; each kind has its own access (TIMELINE-1).
 * @throws {NotFoundError} for a case that the user does not see.
 * @throws {InvalidInputError} for a cursor of another list.
 */
export async function listCaseTimeline(
  db: Executor,
  user: User,
  caseId: number,
  filter: Filter = {},
): Promise<{ data: CaseTimelineEntry[]; next_cursor: string | null }> {
  const { limit = 25, kind, cursor } = filter;
  const place = cursor === undefined ? null : readPlace(cursor);
  if (!(await canAccessCase(db, user, caseId))) throw new NotFoundError();
  const kinds = kind === undefined ? CASE_EVENT_KINDS : [kind];
  const page = pageFrom(place, rowsFor(limit));
  const rows = await query<CaseEvent & Place>(
    db,
    sql`select e.place_at::text as at, e.rank, e.id, e.action, e.what, e.about, ${personJson('u')} as by
          from (${unionOf(kinds.map((one) => EVENTS[one]({ user, caseId, page })))}) e (place_at, rank, id, action, what, about, by_id)
          left join user_account u on u.id = e.by_id
         order by e.place_at desc, e.rank desc, e.id desc ${limitTo(rowsFor(limit))}`,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map((row) => {
      const kind = CASE_EVENT_KINDS[row.rank] ?? 'request';
      return { at: new Date(row.at), kind, ...describeCaseEvent(row, { caseId, isStaff: user.user_type === 'admin' }) };
    }),
    next_cursor: last === undefined ? null : CURSOR.write(last.at, last.rank, last.id),
  };
}

interface Selection {
  user: User;
  caseId: number;
  /** The condition and order of a page, for a kind's own columns of time and id. */
  page: (kind: CaseEventKind, at: Sql, id: Sql) => { isBefore: Sql; order: Sql };
}

const isRank = (part: unknown) => typeof part === 'number' && CASE_EVENT_KINDS[part] !== undefined;
const CURSOR = defineCursor<[at: string, rank: number, id: number]>(
  'json',
  momentPart,
  (part) => (isRank(part) ? (part as number) : undefined),
  idPart,
);

/** One query for each kind, which walks its own index and stops early. */
const EVENTS: Record<CaseEventKind, (selection: Selection) => Sql> = {
  status: ({ user, caseId, page }) => {
    const { isBefore, order } = page('status', sql`a.happened_at`, sql`a.id`);
    return sql`(select a.happened_at as place_at, ${rankOf('status')} as rank, a.id, a.action, a.after ->> 'status' as what,
              a.case_id as about, a.actor_id as by_id
         from audit_entry a join case_file c on c.id = a.case_id
        where a.case_id = ${caseId} and a.action in (${STORY}) and a.action in ('case.create', 'case.change_status')
          and ${caseIsVisible(user)} and ${isBefore} ${order})`;
  },
  milestone: ({ user, caseId, page }) => {
    // A milestone has a day and no time. Noon in UTC is the same day from Hawaii to Japan.
    const { isBefore, order } = page('milestone', sql`(m.happened_on + time '12:00') at time zone 'UTC'`, sql`m.id`);
    return sql`(select (m.happened_on + time '12:00') at time zone 'UTC', ${rankOf('milestone')}, m.id, m.kind, m.note, m.case_id, m.created_by
         from case_milestone m join case_file c on c.id = m.case_id
        where m.case_id = ${caseId} and ${caseIsVisible(user)} and ${isBefore} ${order})`;
  },
  document: ({ user, caseId, page }) => {
    const { isBefore, order } = page('document', sql`f.created_at`, sql`f.id`);
    return sql`(select f.created_at, ${rankOf('document')}, f.id, 'document', f.filename, f.case_id, f.uploaded_by
         from case_document f join case_file c on c.id = f.case_id
        where f.case_id = ${caseId} and ${caseIsVisible(user)} and ${isBefore} ${order})`;
  },
  message: ({ user, caseId, page }) => {
    const { isBefore, order } = page('message', sql`m.created_at`, sql`m.id`);
    return sql`(select m.created_at, ${rankOf('message')}, m.id, 'message', c.subject, c.id, m.from_id
         from message_chain c cross join lateral (
           select m.* from message m where m.chain_id = c.id and m.retracted_at is null and ${isBefore} ${order}) m
        where c.case_id = ${caseId} and ${staffNeed(user, 'view_messages')}
          and ${chainIsVisible(user)} ${order})`;
  },
  money: ({ user, caseId, page }) => {
    const { isBefore, order } = page('money', sql`t.created_at`, sql`t.id`);
    return sql`(select t.created_at, ${rankOf('money')}, t.id, t.kind, p.amount_cents::text, t.case_id, null::bigint
         from ledger_transaction t
         join ledger_posting p on p.transaction_id = t.id and p.amount_cents > 0
         join case_file c on c.id = t.case_id
        where t.case_id = ${caseId} and t.kind in ('deposit', 'refund') and ${balanceIsVisible(user)} and ${isBefore} ${order})`;
  },
  request: ({ user, caseId, page }) => {
    const { isBefore, order } = page('request', sql`a.happened_at`, sql`a.id`);
    return sql`(select a.happened_at, ${rankOf('request')}, a.id, a.action, d.description || ' (' || a.subject_label || ')', d.id, a.actor_id
         from audit_entry a
         join disbursement_request d on d.id = a.subject_id
         join case_file c on c.id = d.case_id
        where a.case_id = ${caseId} and a.action in (${STORY}) and a.subject_type = 'disbursement'
          and ${staffNeed(user, ...REQUEST_READERS)}
          and ${caseIsVisible(user)} and ${contentIsVisible(user)} and ${isBefore} ${order})`;
  },
  person: ({ user, caseId, page }) => {
    const { isBefore, order } = page('person', sql`a.happened_at`, sql`a.id`);
    return sql`(select a.happened_at, ${rankOf('person')}, a.id, a.action,
              (a.before ->> 'name') || ' is now called ' || (a.after ->> 'name'), a.case_id, a.actor_id
         from audit_entry a join case_file c on c.id = a.case_id
        where a.case_id = ${caseId} and a.action = 'case.rename_person' and ${caseIsVisible(user)} and ${isBefore} ${order})`;
  },
};

/**
 * Must match the index (db/migrations/0015_case_story_with_undo.sql). Changes of a draft are left out, because only its maker reads it
 * (DRAFT-1).
 */
const STORY = trustedSql(
  [
    'case.create',
    'case.change_status',
    'disbursement.submit',
    'disbursement.approve',
    'disbursement.undo_approval',
    'disbursement.deny',
    'disbursement.cancel',
    'disbursement.remove_approval',
    'disbursement.batch',
    'disbursement.unbatch',
    'disbursement.send',
    'disbursement.pay',
    'disbursement.return',
    'disbursement.retry',
    'disbursement.end',
  ]
    .map((action) => `'${action}'`)
    .join(', '),
);

/** The permission that staff need in addition to the case; other people need none. */
function staffNeed({ id, user_type }: User, ...any: [Permission, ...Permission[]]): Sql {
  return user_type === 'admin' ? adminHasPermission(id, ...any) : sql`true`;
}

function rankOf(kind: CaseEventKind): Sql {
  return trustedSql(String(CASE_EVENT_KINDS.indexOf(kind)));
}

/** @throws {InvalidInputError} for a cursor that is not from this list. */
function readPlace(cursor: string): Place {
  const [at, rank, id] = CURSOR.read(cursor);
  return { at, rank, id };
}

function pageFrom(place: Place | null, limit: number): Selection['page'] {
  return (kind, at, id) => ({
    isBefore:
      place === null
        ? sql`true`
        : sql`(${at} <= ${place.at}::timestamptz
               and (${at}, ${rankOf(kind)}, ${id}) < (${place.at}::timestamptz, ${place.rank}::int, ${place.id}::bigint))`,
    order: sql`order by ${at} desc, ${id} desc ${limitTo(limit)}`,
  });
}
