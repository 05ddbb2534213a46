import type { Database } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import { type CasePerson, findCase, listCasePeople } from '@case-platform/modules/cases';

/**
 * The people of a case whom this user may write to.
 * @throws {NotFoundError} for a case that the user does not see.
 */
export async function listRecipients(db: Database, user: User, caseId: number): Promise<CasePerson[]> {
  if ((await findCase(db, user, caseId)) === null) throw new NotFoundError();
  const people = await listCasePeople(db, caseId);
  return people.filter((person) => person.user_id !== user.id);
}
