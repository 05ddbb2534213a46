import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { fullName } from '../users.ts';
import { adminHasPermission } from './admin-has-permission.ts';

export interface StaffMember {
  id: number;
  name: string;
  role_name: string | null;
  may_answer: boolean;
  may_approve: boolean;
}

/** Longer than any list to choose from. */
const STAFF_MAX = 500;

export async function listStaff(db: Executor): Promise<StaffMember[]> {
  return query<StaffMember>(
    db,
    sql`select u.id, ${fullName(sql`u`)} as name,
               r.name as role_name,
               ${adminHasPermission(sql`u.id`, 'view_messages')} as may_answer,
               ${adminHasPermission(sql`u.id`, 'approve_drs')} as may_approve
          from user_account u left join admin_role r on r.id = u.admin_role_id
         where u.user_type = 'admin' and u.status = 'active' order by 2, 1 ${limitTo(STAFF_MAX)}`,
  );
}
