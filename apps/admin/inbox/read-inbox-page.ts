import type { Html } from '@case-platform/lib/html';
import { listCaseNames, listCases } from '@case-platform/modules/cases';
import { countUnassigned, findSearchProblem, findSnippets, listChains } from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import type { ChainListQuery } from './chain-filters.ts';
import { chainListPage } from './chain-list.ts';

/** The list can be filtered by the newest cases. For any other, the case's own page has a link here. */
const CASES_OFFERED = 100;

const NO_CHAINS = { data: [], next_cursor: null };

/** Words over the list for the change that was just made. */
const DONE = new Map([
  ['assigned', 'The conversation has a new owner, so you no longer see it here.'],
  ['unread', 'Marked as unread.'],
]);

/** Reads the inbox with the filters in its address. */
export async function readInboxPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { done, ...query }: ChainListQuery & { done?: string | undefined },
): Promise<Html> {
  const { db } = context;
  const { show, ...filter } = query;
  const problem = findSearchProblem(query.q);
  const [{ data, next_cursor }, cases, unassigned, frame] = await Promise.all([
    problem === undefined ? listChains(db, actor.user, { ...filter, unread: show === 'unread' ? true : undefined }) : NO_CHAINS,
    listCases(db, actor.user, { limit: CASES_OFFERED, sort: 'name' }),
    actor.admin.can('reassign_threads') ? countUnassigned(db) : null,
    readFrame(context, request, actor),
  ]);
  const ids = [...data.map((chain) => chain.case_id), query.case_id ?? null].filter((id) => id !== null);
  const [caseNames, snippets] = await Promise.all([
    listCaseNames(db, ids),
    findSnippets(
      db,
      actor.user,
      data.map((chain) => chain.id),
      query.q,
    ),
  ]);
  const caseId = query.case_id;
  const isOffered = caseId === undefined || cases.data.some(({ id }) => id === caseId);
  const others = isOffered ? [] : [{ id: caseId, name: caseNames.get(caseId) ?? `Case ${caseId}` }];
  return chainListPage(frame, {
    chains: data,
    next_cursor,
    caseNames,
    query,
    unassigned,
    cases: [...others, ...cases.data],
    search: query.q === undefined || problem !== undefined ? undefined : { q: query.q, snippets },
    problem,
    done: DONE.get(done ?? ''),
  });
}
