import { InvalidInputError, UnauthenticatedError } from '@case-platform/lib/errors';

/**
 * A wrong password or code of someone who is signed in is wrong input (422), not a lost session: clients sign out on a 401
 * (specification, 'Errors').
 */
export async function refusedAsInput<Result>(field: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnauthenticatedError) || error.code === 'not_authenticated') throw error;
    throw new InvalidInputError([{ field, message: error.message }], error.code);
  }
}
