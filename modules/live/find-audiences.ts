import type { Executor } from '@case-platform/lib/database';
import { findCaseAudiences } from '@case-platform/modules/cases';
import { type CaseChange, type ChainEvent, findChainAudiences } from '@case-platform/modules/messaging';

/** An event that some readers receive, as it was written. */
type Change = ChainEvent | CaseChange;

/** Longer audiences do not fit into a notification with other events, so each process finds them by itself. */
const AUDIENCE_MAX = 300;
/** A batch of payments changes thousands of cases at once. The publisher must not be late because of them. */
const CASES_MAX = 500;

/** Finds who may see each of these events now, as ids of people, with one statement for conversations and one for cases. */
export async function findAudiences(db: Executor, events: readonly Change[]): Promise<number[][]> {
  const chains = await findChainAudiences(
    db,
    events.flatMap((event) => (event.kind === 'case' || isOfOnePerson(event) ? [] : [event.chain_id])),
  );
  const cases = await findCaseAudiences(
    db,
    events.flatMap((event) => (event.kind === 'case' ? [event.case_id] : [])),
  );
  return events.map((event) => {
    if (event.kind === 'case') {
      const people = cases.get(event.case_id) ?? [];
      return event.user_id === null ? people : people.filter((id) => id === event.user_id);
    }
    if (isOfOnePerson(event)) return [event.user_id];
    const { members = [], staff = [] } = chains.get(event.chain_id) ?? {};
    if (event.kind === 'message') return [...members, ...staff];
    if (event.kind === 'chain') return [...new Set([...members, ...staff, ...(event.no_longer ?? [])])];
    return event.kind === 'writing' ? staff.filter((id) => id !== event.user_id) : staff;
  });
}

function isOfOnePerson(event: Change): event is Extract<Change, { kind: 'marks' }> & { user_id: number } {
  return event.kind === 'marks' && event.user_id !== null;
}

const KINDS: ReadonlySet<string> = new Set<Change['kind']>(['message', 'marks', 'chain', 'note', 'writing', 'case']);
const isChange = (event: object): event is Change => 'kind' in event && KINDS.has(String(event.kind));

/**
 * Adds `audience` to events that are being published, so that processes need not find it. This must see at least what the
 * transactions of the events saw: then an event that commits after someone lost access never reaches them (LIVE-2).
 */
export async function addAudiences(db: Executor, events: readonly object[]): Promise<object[]> {
  const changes = events.filter(isChange);
  const cases = new Set(changes.flatMap((event) => (event.kind === 'case' ? [event.case_id] : [])));
  const wanted = changes.filter((event) => event.kind !== 'case' || cases.size <= CASES_MAX);
  const audiences = await findAudiences(db, wanted);
  const audienceOf = new Map<object, number[]>(wanted.map((event, at) => [event, audiences[at] ?? []]));
  return events.map((event) => {
    const audience = audienceOf.get(event);
    return audience === undefined || audience.length > AUDIENCE_MAX ? event : { ...event, audience };
  });
}
