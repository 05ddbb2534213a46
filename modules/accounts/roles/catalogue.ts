/**
 * Every permission, by category: the source that `admin_permission` is synchronised from at start.
 * Values are the names in lower-case snake case (ROLE-2, ROLE-13).
 */
export const CATALOGUE = {
  Case: [
    ...([
      'VIEW_CASE_DETAILS',
      'EDIT_CASE_DETAILS',
      'VIEW_ALL_CASES',
      'CREATE_CASE',
      'ASSIGN_CASE',
      'CLOSE_CASE',
    ] as const),
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
 * Raised by one whenever the catalogue or the renames change: a process of an older version that starts beside a newer one
 * then leaves the table alone. A test notices when it was forgotten.
 */
export const CATALOGUE_VERSION = 2;

export type PermissionCategory = keyof typeof CATALOGUE;
export type Permission = Lowercase<(typeof CATALOGUE)[PermissionCategory][number]>;

export interface CatalogueEntry {
  category: string;
  /** In capitals. */
  name: string;
  /** In lower-case snake case. */
  value: string;
  /** The value that it had before: the roles that held that one hold this one after the next start. */
  renamed_from?: string;
}

/**
 * What may move money, or may give somebody what does: granting one takes two administrators (ROLE-7). Asking
 * for money does not, because somebody else decides about it.
 */
export const MOVES_MONEY: readonly Permission[] = [
  ...(['create_nacha', 'approve_nacha', 'edit_bank_accounts'] as const),
  ...(['approve_drs', 'make_payments', 'manage_roles'] as const),
];

/** The values that permissions had in an earlier version, by what they are called now. */
const RENAMED_FROM: Partial<Record<Permission, string>> = {};

/** The catalogue as rows: category, name in capitals, value in lower-case snake case. */
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

/** The values of one category. */
export function permissionsIn(category: PermissionCategory): Permission[] {
  return CATALOGUE[category].map((name) => name.toLowerCase() as Permission);
}

/** True for a value that the catalogue holds. */
export function isPermission(value: string): value is Permission {
  return listCatalogue().some((entry) => entry.value === value);
}
