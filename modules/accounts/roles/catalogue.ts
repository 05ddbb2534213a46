/** All permissions by category, with which `admin_permission` is synchronized at start (ROLE-1, ROLE-13). */
export const CATALOGUE = {
  Case: [
    ...(['VIEW_CASE_DETAILS', 'EDIT_CASE_DETAILS', 'VIEW_ALL_CASES', 'CREATE_CASE', 'ASSIGN_CASE', 'CLOSE_CASE'] as const),
    'EDIT_BENEFITS',
  ],
  Banking: ['CREATE_NACHA', 'APPROVE_NACHA', 'VIEW_BANK_ACCOUNTS', 'EDIT_BANK_ACCOUNTS'],
  Disbursements: ['CREATE_DRS', 'VIEW_DRS', 'EDIT_DRS', 'APPROVE_DRS'],
  Payments: ['MAKE_PAYMENTS'],
  Messaging: ['VIEW_MESSAGES', 'REASSIGN_THREADS', 'SEND_GROUP_MESSAGES'],
  Users: ['VIEW_USERS', 'EDIT_USERS'],
  Agencies: ['VIEW_AGENCIES', 'EDIT_AGENCIES'],
  Administration: ['MANAGE_ROLES', 'VIEW_AUDIT_LOG', 'VIEW_DELIVERIES'],
} as const;

/**
 * Increase this by one with every change of the catalogue or the renames, so that a process of an older version leaves the table
 * alone (ROLE-1). A test fails if it is forgotten.
 */
export const CATALOGUE_VERSION = 2;

export type PermissionCategory = keyof typeof CATALOGUE;
export type Permission = Lowercase<(typeof CATALOGUE)[PermissionCategory][number]>;

export interface CatalogueEntry {
  category: string;
  /** In upper case, such as `VIEW_CASE_DETAILS`. */
  name: string;
  /** In lower case, such as `view_case_details` (ROLE-2). */
  value: string;
  /** The previous value; roles that have it get this one at the next start. */
  renamed_from?: string;
}

/**
 * Permissions that can move money, or give someone such a permission, take two administrators (ROLE-7). Requesting money does
 * not, because someone else decides about the request.
 */
export const MOVES_MONEY: readonly Permission[] = [
  ...(['create_nacha', 'approve_nacha', 'edit_bank_accounts'] as const),
  ...(['approve_drs', 'make_payments', 'manage_roles'] as const),
];

/** Previous values of renamed permissions, by their current value. */
const RENAMED_FROM: Partial<Record<Permission, string>> = {};

export function listCatalogue(): (CatalogueEntry & { category: PermissionCategory; value: Permission })[] {
  return Object.entries(CATALOGUE).flatMap(([category, names]) =>
    names.map((name) => {
      const value = name.toLowerCase() as Permission;
      const earlier = RENAMED_FROM[value];
      return {
        category: category as PermissionCategory,
        name,
        value,
        ...(earlier === undefined ? {} : { renamed_from: earlier }),
      };
    }),
  );
}

export function permissionsIn(category: PermissionCategory): Permission[] {
  return CATALOGUE[category].map((name) => name.toLowerCase() as Permission);
}

export function isPermission(value: string): value is Permission {
  return listCatalogue().some((entry) => entry.value === value);
}
