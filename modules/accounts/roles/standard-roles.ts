import { listCatalogue, type Permission } from './catalogue.ts';

/** The roles of a new installation, including the demo's (DEMO-1, OPERATE-1). */
export const STANDARD_ROLES: Readonly<Record<string, readonly Permission[]>> = {
  Administrator: listCatalogue().map((entry) => entry.value),
  'Escrow Specialist': [
    'view_case_details',
    'edit_case_details',
    'close_case',
    'edit_benefits',
    'create_drs',
    'view_drs',
    'edit_drs',
    'view_messages',
    'reassign_threads',
    'send_group_messages',
    'view_users',
    'view_agencies',
    'view_deliveries',
  ],
  Finance: ['create_nacha', 'make_payments', 'view_drs', 'view_case_details'],
  Viewer: ['view_case_details'],
};
