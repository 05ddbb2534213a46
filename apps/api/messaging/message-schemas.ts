import type { Chain, Message } from '@case-platform/modules/messaging';
import { ATTACHMENTS_MAX, MESSAGE_MAX, SUBJECT_MAX } from '@case-platform/words/limits';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import { ApiUserTypeOut, Id, NullableId, NullableTime, Person, Time } from '../schemas.ts';

/** The shapes of conversations and messages (UNREAD-3, MESSAGE-1). */

const NullableUserType = Type.Unsafe<ReturnType<typeof toApiUserType> | null>({ type: ['string', 'null'] });
export const CHAIN_STATUSES = ['open', 'closed'] as const;
export const ChainStatus = Type.Unsafe<(typeof CHAIN_STATUSES)[number]>({ type: 'string', enum: [...CHAIN_STATUSES] });

export const ChainOut = Type.Object(
  {
    id: Id,
    subject: Type.String(),
    case_id: NullableId,
    status: ChainStatus,
    assigned_admin_id: NullableId,
    chain_has_unread_msg_admin: Type.Boolean(),
    unread_count: Type.Integer(),
    participants: Type.Array(Person),
    last_message: Type.Object({
      id: Id,
      preview: Type.String(),
      from_type: ApiUserTypeOut,
      from_id: Id,
      created_at: Time,
    }),
    created_at: Time,
  },
  { title: 'Chain', description: 'A chain (thread) as the caller sees it.' },
);

const MessageFile = Type.Object(
  {
    id: Id,
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    url: Type.String({ description: 'Works for one hour.' }),
    url_expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'MessageFile' },
);

export const MessageOut = Type.Object(
  {
    id: Id,
    chain_id: Id,
    from_id: Id,
    from_type: ApiUserTypeOut,
    from_name: Type.String(),
    to_id: NullableId,
    to_type: NullableUserType,
    to_admin: Type.Boolean(),
    message: Type.String(),
    viewed: NullableTime,
    created_at: Time,
    client_key: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "The `Idempotency-Key` that the caller sent it with; null in other people's messages.",
    }),
    retracted_at: NullableTime,
    files: Type.Array(MessageFile),
  },
  {
    title: 'Message',
    description:
      "A message as the caller sees it; `viewed` is the caller's own mark. One with `retracted_at` has no text and no files.",
  },
);

export const ChainId = Type.Object({ chain_id: Id });
export const MessageId = Type.Object({ chain_id: Id, message_id: Id });

/** The fields of a message form. `readMessageForm` reads them as they stream in; OpenAPI describes them by this. */
const replyForm = {
  message: Type.String({ minLength: 1, maxLength: MESSAGE_MAX, description: 'Counted after trimming.' }),
  files: Type.Optional(Type.Array(Type.String({ format: 'binary' }), { maxItems: ATTACHMENTS_MAX })),
};
export const ReplyForm = Type.Object(replyForm, { 'x-streamed': true });
export const StartForm = Type.Object(
  {
    ...replyForm,
    subject: Type.Optional(Type.String({ maxLength: SUBJECT_MAX })),
    case_id: Type.Optional(Type.String({ description: 'An integer.' })),
    recipients: Type.Optional(Type.String({ description: 'A JSON list of `{user_type, user_id}`.' })),
  },
  { 'x-streamed': true },
);

export const toChainOut = (chain: Chain) => ({
  ...chain,
  participants: chain.participants.map((person) => ({ ...person, user_type: toApiUserType(person.user_type) })),
  last_message: { ...chain.last_message, from_type: toApiUserType(chain.last_message.from_type) },
});

export const toMessageOut = (message: Message) => ({
  ...message,
  from_type: toApiUserType(message.from_type),
  to_type: message.to_type === null ? null : toApiUserType(message.to_type),
});
