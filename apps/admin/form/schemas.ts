import { Type } from 'typebox';

/** Parts of addresses and forms. Everything that comes in has a limit. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Cursor = Type.String({ maxLength: 500 });
/** Longer than a message may be, so that a text that is too long comes back to its writer instead of being lost. */
export const MessageText = Type.String({ maxLength: 70_000, default: '' });
export const IdempotencyKey = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
/** Where to go after signing in; `safeNext` says whether it leads there. */
export const Next = Type.Optional(Type.String({ maxLength: 4000 }));
/** Longer than any code, so that one with spaces in it is read. */
export const CodeText = Type.String({ maxLength: 40 });
