import { type Executor, run } from '@case-platform/lib/database';

/** The roles by name, for choosing one. */
export async function listRoleNames(db: Executor): Promise<{ id: number; name: string }[]> {
  return run(db, 'select id, name from admin_role order by lower(name), id');
}
