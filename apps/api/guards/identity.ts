import { InvalidInputError, invalid, UnauthenticatedError } from '@case-platform/lib/errors';
import { type CodeAnswer, confirmIdentity, type IdentityProof, type User } from '@case-platform/modules/accounts';
import { PASSWORD_MAX } from '@case-platform/words/limits';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';
import { signedInAt } from './guards.ts';

/** A six-digit code that was sent or that an app shows (TWO-FACTOR-8). */
export const SixDigits = Type.String({ pattern: '^[0-9]{6}$', description: 'Exactly six digits.' });
/** One of ten, for the app method (TWO-FACTOR-8). */
const BackupCode = Type.String({
  pattern: '^[A-Za-z0-9]{5}[- ]?[A-Za-z0-9]{5}$',
  description: 'One of the ten backup codes of the app method, instead of `code`.',
});
/** A body has one of the two. */
export const CodeFields = { code: Type.Optional(SixDigits), backup_code: Type.Optional(BackupCode) };

const UNLESS_RECENT = 'unless the token’s sign-in is younger than ten minutes; else 403 `confirm_identity`.';
/** The proof that is required to change what protects the account or the money (IDENTITY-1). */
export const IdentityFields = {
  pass_hash: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_MAX,
      description: `The current password, or \`code\` (of a method that was on at the sign-in), ${UNLESS_RECENT}`,
    }),
  ),
  ...CodeFields,
};

/** Separates the proof of identity from the rest of a body. */
export function splitProof<Body extends IdentityProof>(
  body: Body,
): { proof: IdentityProof; rest: Omit<Body, keyof IdentityProof> } {
  const { pass_hash, code, backup_code, ...rest } = body;
  return { proof: { pass_hash, code, backup_code }, rest };
}

/**
 * Requires that the owner of the account is calling. A wrong password or code is invalid input, at its field.
 * @throws {ForbiddenError} `confirm_identity` if nothing is given and the token's sign-in is ten minutes old (IDENTITY-1).
 */
export async function requireIdentity(
  context: ApiContext,
  request: FastifyRequest,
  user: User,
  proof: IdentityProof,
): Promise<void> {
  const when = { signedInAt: signedInAt(request) };
  await withInputErrors(fieldOf(proof), confirmIdentity(context, user, proof, when, context.now()));
}

/**
 * Makes a wrong password or code of someone who is signed in invalid input (422), because clients sign out on a 401 (PASSWORD-8).
 */
export async function withInputErrors<Result>(field: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnauthenticatedError) || error.code === 'not_authenticated') throw error;
    throw new InvalidInputError([{ field, message: error.message }], error.code);
  }
}

/** The field at which a wrong proof is rejected. */
export function fieldOf({ pass_hash, code }: IdentityProof): 'pass_hash' | 'code' | 'backup_code' {
  if (pass_hash !== undefined) return 'pass_hash';
  return code === undefined ? 'backup_code' : 'code';
}

/** The only code of a body. @throws {InvalidInputError} for none, and for both. */
export function oneCode({ code, backup_code }: Pick<IdentityProof, 'code' | 'backup_code'>): CodeAnswer {
  if (code !== undefined && backup_code === undefined) return { code };
  if (code === undefined && backup_code !== undefined) return { backup_code };
  throw invalid('code', 'Send either code (six digits) or backup_code.');
}
