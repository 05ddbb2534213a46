import { DomainError, InvalidInputError } from '@case-platform/lib/errors';
import type { StaffChange } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../context.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { FormProblem } from '../people/user-form.ts';

/** Longer than any of them may be, so that what is too long comes back to its writer with the reason. */
export const FieldText = Type.String({ maxLength: 1000, default: '' });
/** A number from a list to choose from; empty for none. */
export const ChoiceText = Type.String({ pattern: '^([1-9][0-9]{0,14})?$', default: '' });

/** The number behind a choice, or null for none. */
export function chosenId(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** Who changes somebody's record, from where, when, and whether they manage roles. */
export function staffChange(
  { now = () => new Date() }: AdminContext,
  request: FastifyRequest,
  actor: StaffActor,
): StaffChange {
  return { ...changedBy(request, actor), manages_roles: actor.admin.can('manage_roles'), now: now() };
}

const FIELD_WORDS: [RegExp, string][] = [
  [/^first_name /, 'The first name '],
  [/^last_name /, 'The last name '],
  [/^phone /, 'The phone number '],
];

/** What stands over a form, and at its fields, that was not accepted. */
export function formProblem(error: DomainError): FormProblem {
  if (!(error instanceof InvalidInputError)) return { words: error.message, fields: {} };
  const inWords = (message: string) => FIELD_WORDS.reduce((text, [code, words]) => text.replace(code, words), message);
  return {
    words: 'Something in the form cannot be accepted. The reason stands below.',
    fields: Object.fromEntries(error.errors.map(({ field, message }) => [field, inWords(message)])),
  };
}

/** Whether the person who filled in a form can mend it; anything else goes to the error page. */
export function isForForm(error: unknown): error is DomainError {
  return error instanceof DomainError && [409, 422].includes(error.status);
}
