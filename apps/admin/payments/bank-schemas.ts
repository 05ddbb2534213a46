import { Type } from 'typebox';

/** Parts of the forms for bank accounts. */
export const Line = Type.String({ maxLength: 200, default: '' });
export const AccountKind = Type.Unsafe<'checking' | 'savings'>({
  type: 'string',
  enum: ['checking', 'savings'],
  default: 'checking',
});
/** A change names the version that was seen (PERSON-6). */
export const Version = Type.String({ minLength: 1, maxLength: 100 });
