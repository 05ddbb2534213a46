import type { Html } from '@case-platform/lib/html';
import { listStaff } from '@case-platform/modules/accounts';
import { listCaseNames } from '@case-platform/modules/cases';
import {
  type ChainNote,
  findOwnerProblem,
  getChain,
  listMessages,
  listNotes,
  type Message,
} from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { outsiders } from '../page/words.ts';
import { chainPage } from './chain-page.ts';
import type { ComposeMode } from './composer.ts';

const MESSAGES_A_PAGE = 50;

interface Shown {
  chain_id: number;
  cursor?: string | undefined;
  mode?: ComposeMode | undefined;
  refused?: RefusedForm;
}

/** Whom the pages of the inbox are for; any other admin may open them, and finds them closed. */
export const FOR_READERS = { user_types: ['admin'], perm_check: 'view_messages', closed: 'messages' } as const;

/** Reads the page of a chain. @throws {NotFoundError} for a chain that the reader does not see. */
export async function readChainPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { chain_id, cursor, mode, refused }: Shown,
): Promise<Html> {
  const { db } = context;
  const { user, admin } = actor;
  const [chain, frame] = await Promise.all([getChain(db, user, chain_id), readFrame(context, request, actor)]);
  const [page, allNotes, names, staff, ownerProblem] = await Promise.all([
    listMessages(context, user, chain.id, { limit: MESSAGES_A_PAGE, cursor }),
    listNotes(db, user, chain.id),
    listCaseNames(db, chain.case_id === null ? [] : [chain.case_id]),
    admin.can('reassign_threads') ? listStaff(db) : null,
    chain.assigned_admin_id === null ? null : findOwnerProblem(db, chain.assigned_admin_id),
  ]);
  const mayReply = outsiders(chain).length <= 1 || admin.can('send_group_messages');
  const older = page.next_cursor ?? undefined;
  const before = older === undefined ? [] : (await listMessages(context, user, chain.id, { limit: 1, cursor: older })).data;
  const newest = cursor === undefined;
  return chainPage(frame, {
    chain,
    messages: page.data,
    notes: notesAmong(allNotes, { newest, messages: page.data, before: before[0] }),
    next_cursor: page.next_cursor,
    newest,
    caseName: chain.case_id === null ? undefined : names.get(chain.case_id),
    staff,
    ownerProblem,
    mayReply,
    mode: mode ?? (mayReply ? 'reply' : 'note'),
    refused,
  });
}

/** Each note is on one page: with the message after it, or at the end of the newest page. */
function notesAmong(
  notes: ChainNote[],
  { newest, messages, before }: { newest: boolean; messages: Message[]; before: Message | undefined },
): ChainNote[] {
  const from = before?.created_at ?? new Date(0);
  const last = messages[0]?.created_at ?? new Date(0);
  return notes.filter(({ created_at }) => created_at >= from && (newest || created_at < last));
}
