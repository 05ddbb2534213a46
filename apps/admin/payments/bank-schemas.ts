import { Type } from 'typebox';

/** Parts of the forms for bank accounts. */
export const Line = Type.String({ maxLength: 200, default: '' });
export const AccountKind = Type.Unsafe<'checking' | 'savings'>({
  type: 'string',
  enum: ['checking', 'savings'],
  default: 'checking',
});
/** What was seen is what is changed (decisions, section 11). */
export const Version = Type.String({ minLength: 1, maxLength: 100 });
