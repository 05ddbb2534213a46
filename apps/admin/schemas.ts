import { Type } from 'typebox';

/** Parts of addresses and forms. Everything that comes in has a limit. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Cursor = Type.String({ maxLength: 500 });
/** Longer than a message may be, so that a text that is too long comes back to its writer instead of being lost. */
export const MessageText = Type.String({ maxLength: 70_000, default: '' });
export const IdempotencyKey = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
