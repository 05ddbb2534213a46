import type { Permission } from './catalogue.ts';

const WORDS: Record<Permission, string> = {
  view_case_details: 'See case details',
  edit_case_details: 'Edit case details',
  view_all_cases: 'See all cases, not just their own',
  create_case: 'Open cases',
  assign_case: 'Choose who works on a case',
  close_case: 'Close cases',
  edit_benefits: 'Edit contract benefits',
  create_nacha: 'Make bank files',
  approve_nacha: 'Approve bank files',
  view_bank_accounts: 'See bank accounts',
  edit_bank_accounts: 'Change bank accounts',
  create_drs: 'Write requests',
  view_drs: 'See requests',
  edit_drs: 'Edit requests',
  approve_drs: 'Approve requests',
  make_payments: 'Make payments',
  view_messages: 'Read and write messages',
  reassign_threads: 'Assign conversations',
  send_group_messages: 'Message several people at once',
  view_users: 'See people',
  edit_users: 'Invite, edit and deactivate people',
  view_agencies: 'See agencies',
  edit_agencies: 'Edit agencies and their keys',
  manage_roles: 'Manage roles and assign them',
  view_audit_log: 'Read the audit log',
  view_deliveries: 'See deliveries',
};

/** The label of a permission. A value that only another version of the platform knows is returned unchanged. */
export function permissionWords(value: string): string {
  return (WORDS as Partial<Record<string, string>>)[value] ?? value;
}
