import { PASSWORD_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';

/** A password as typed. Its rules are checked where a password is set. */
export const Password = Type.String({
  minLength: 1,
  maxLength: PASSWORD_MAX,
  description: 'The password as typed; the name of the field is historical.',
});

/** A sentence about what happened. */
export const Confirmation = Type.Object({ message: Type.String() }, { title: 'Confirmation' });
