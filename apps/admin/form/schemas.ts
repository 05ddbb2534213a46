import { Type } from 'typebox';

/** Parts of addresses and forms. Every input has a limit. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Cursor = Type.String({ maxLength: 500 });
/** Longer than a message may be, so that a text that is too long comes back in the form instead of being lost. */
export const MessageText = Type.String({ maxLength: 70_000, default: '' });
export const IdempotencyKey = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
/** Where to go after signing in, if `safeNext` allows it. */
export const Next = Type.Optional(Type.String({ maxLength: 4000 }));
/** Longer than any code, so that one with spaces in it is read. */
export const CodeText = Type.String({ maxLength: 40 });
/** Longer than any field may be, so that a value that is too long comes back in the form with the reason. */
export const FieldText = Type.String({ maxLength: 1000, default: '' });
/** A number from a list to choose from; empty for none. */
export const ChoiceText = Type.String({ pattern: '^([1-9][0-9]{0,14})?$', default: '' });
/** The word for what was just done, in the address of the page that follows. */
export const Done = Type.Optional(Type.String({ maxLength: 20 }));

/** The number behind a choice, or null for none. */
export function chosenId(text: string): number | null {
  return text === '' ? null : Number(text);
}
