import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { query, sql } from '@case-platform/lib/sql';
import { parseLine } from '@case-platform/lib/text/typed-text';
import type { User } from '@case-platform/modules/accounts';
import { SUBJECT_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import type { SentMessage } from './earlier-message.ts';
import type { Message } from './list-messages.ts';
import { planChain } from './plan-chain.ts';
import { type MessagingContext, nextId, type OutgoingMessage, parseMessageText, sendMessage } from './send-message.ts';

export interface NewChain extends OutgoingMessage {
  subject?: string | undefined;
  case_id?: number | undefined;
  recipients?: { user_type: UserType; user_id: number }[] | undefined;
}

/**
 * Starts a chain with its first message. `planChain` decides who receives it and which admin owns the chain.
 * @throws {InvalidInputError} for text, subject or files outside the limits.
 * @throws {NotFoundError} for a case or recipient that the sender may not see.
 */
export async function startChain(
  context: MessagingContext,
  sender: User,
  input: NewChain,
): Promise<SentMessage & { message: Message }> {
  parseMessageText(input.message);
  const subject = parseSubject(input.subject);
  const { case_id, recipients } = input;
  const chainId = await nextId(context.db, 'message_chain');
  return sendMessage(context, sender, input, {
    chainId,
    isFirst: true,
    request: { start: true, subject, case_id, recipients },
    check: () => planChain(context.db, sender, { case_id, recipients }),
    plan: async (tx) => {
      const { shared_case_ids } = await planChain(tx, sender, { case_id, recipients });
      // Waits for a removal from the case that is under way. A later removal takes the person out of this chain as well.
      await query(tx, sql`select id from case_file where id = any(${shared_case_ids}::bigint[]) order by id for key share`);
      return planChain(tx, sender, { case_id, recipients });
    },
    writeChain: (tx, plan, messageId) =>
      Promise.all([
        query(
          tx,
          sql`insert into message_chain (id, subject, case_id, assigned_admin_id, is_group, created_by, last_message_id,
                                         search, search_version)
              values (${chainId}, ${subject}, ${plan.case_id}, ${plan.assigned_admin_id}, ${plan.is_group}, ${sender.id},
                      ${messageId}, ${searchVector(subject)}::tsvector, ${SEARCH_VERSION})`,
        ),
        query(
          tx,
          sql`insert into message_chain_group (chain_id, user_id, last_message_id)
              select ${chainId}, member, ${messageId}
                from unnest(${plan.members.map((member) => member.user_id)}::bigint[]) as member`,
        ),
      ]),
  });
}

export function parseSubject(subject = ''): string {
  return parseLine(subject, { field: 'subject', label: 'A subject', max: SUBJECT_MAX });
}
