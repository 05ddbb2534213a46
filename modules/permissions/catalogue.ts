/**
 * Every permission, by category: the source that `admin_permission` is synchronised from at start.
 * Values are the names in lower-case snake case. The first ones are the specification's, the rest decisions, section 8.
 */
export const CATALOGUE = {
  Case: ['VIEW_CASE_DETAILS', 'EDIT_CASE_DETAILS', 'VIEW_ALL_CASES', 'CREATE_CASE', 'ASSIGN_CASE', 'CLOSE_CASE'],
  Banking: ['CREATE_NACHA', 'APPROVE_NACHA', 'VIEW_BANK_ACCOUNTS', 'EDIT_BANK_ACCOUNTS'],
  Disbursements: ['CREATE_DRS', 'VIEW_DRS', 'EDIT_DRS', 'APPROVE_DRS'],
  Payments: ['MAKE_PAYMENTS'],
  Messaging: ['VIEW_MESSAGES', 'REASSIGN_THREADS', 'SEND_GROUP_MESSAGES'],
  Users: ['VIEW_USERS', 'EDIT_USERS'],
  Agencies: ['VIEW_AGENCIES', 'EDIT_AGENCIES'],
  Administration: ['MANAGE_ROLES', 'VIEW_AUDIT_LOG', 'VIEW_DELIVERIES'],
} as const;

export type PermissionCategory = keyof typeof CATALOGUE;
export type Permission = Lowercase<(typeof CATALOGUE)[PermissionCategory][number]>;

/** The catalogue as rows: category, name in capitals, value in lower-case snake case. */
export function listCatalogue(): { category: PermissionCategory; name: string; value: Permission }[] {
  return Object.entries(CATALOGUE).flatMap(([category, names]) =>
    names.map((name) => ({
      category: category as PermissionCategory,
      name,
      value: name.toLowerCase() as Permission,
    })),
  );
}

/** The values of one category. */
export function permissionsIn(category: PermissionCategory): Permission[] {
  return CATALOGUE[category].map((name) => name.toLowerCase() as Permission);
}
