import type { Permission } from './catalogue.ts';

const WORDS: Record<Permission, string> = {
  view_case_details: 'See case details',
  edit_case_details: 'Change case details',
  view_all_cases: 'See all cases, not only their own',
  create_case: 'Open cases',
  assign_case: 'Decide who works on a case',
  close_case: 'Close cases',
  edit_benefits: 'Set what a contract allows (benefits)',
  create_nacha: 'Make bank files (NACHA)',
  approve_nacha: 'Approve bank files (NACHA)',
  view_bank_accounts: 'See bank accounts',
  edit_bank_accounts: 'Change bank accounts',
  create_drs: 'Make disbursement requests',
  view_drs: 'See disbursement requests',
  edit_drs: 'Change disbursement requests',
  approve_drs: 'Approve disbursement requests',
  make_payments: 'Make payments',
  view_messages: 'Read and write messages',
  reassign_threads: 'Give conversations to somebody else',
  send_group_messages: 'Write to several people at once',
  view_users: 'See people',
  edit_users: 'Invite, change and deactivate people',
  view_agencies: 'See agencies',
  edit_agencies: 'Change agencies and their keys',
  manage_roles: 'Manage roles and give them to people',
  view_audit_log: 'Read the audit log',
  view_deliveries: 'See what was sent',
};

/** What a permission lets somebody do; a value of another version of the platform stays as it is. */
export function permissionWords(value: string): string {
  return (WORDS as Partial<Record<string, string>>)[value] ?? value;
}
