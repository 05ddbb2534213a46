import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { queueEmail } from '@case-platform/modules/notifications';
import { adminHasPermission } from '../roles/admin-has-permission.ts';
import type { User } from '../users.ts';
import type { PlatformUrls } from './staff-mails.ts';

interface GrantNews {
  /** A sentence that names who granted what to whom. */
  sentence: string;
  waits: boolean;
}

/** Notifies every administrator, in the transaction of the grant (ROLE-8). */
export async function notifyAdministrators(
  tx: Transaction,
  { sentence, waits }: GrantNews,
  { adminUrl }: Pick<PlatformUrls, 'adminUrl'>,
): Promise<void> {
  const administrators = await query<Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>>(
    tx,
    sql`select u.id, u.user_type, u.email_address, u.first_name from user_account u
         where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, 'manage_roles')} order by u.id`,
  );
  const what_next = waits ? 'It starts once another administrator confirms it.' : 'It works from now on.';
  const key = `role_granted:${randomUUID()}`;
  for (const to of administrators) {
    await queueEmail(tx, {
      key,
      event: 'role_granted',
      to,
      template_name: 'role_granted.html',
      subject: waits ? 'A role that can move money needs a second administrator' : 'A role that can move money was granted',
      template_context: { first_name: to.first_name, sentence, what_next, url: `${adminUrl}/roles` },
    });
  }
}
