import type { CastName } from '../support/cast.ts';

/** A page of the web frontend in one of its visibly different states. */
export interface Row {
  /** The path of the page in apps/web/app. */
  route: string;
  /** The address, if it differs from the route. `{name}` is replaced by the id that a statement of EXAMPLES selects. */
  path?: string;
  /** The visitor: a person, someone at the code step (`halfway`), or someone without a session (`nobody`). */
  as: CastName | 'halfway' | 'nobody';
  h1: string | RegExp;
  /** The values that its form has when it opens. */
  values?: Record<string, string>;
}

/** Every page of the web frontend in its visibly different states. A test fails for a page without a row. */
export const ROWS: Row[] = [
  { route: '/login', as: 'nobody', h1: 'Sign in' },
  { route: '/login', path: '/login?session=ended', as: 'nobody', h1: 'Sign in' },
  { route: '/login', as: 'halfway', h1: 'Enter your code' },
  { route: '/password-reset', as: 'nobody', h1: 'Set a new password' },
  {
    route: '/password-reset/confirm',
    path: '/password-reset/confirm#token=x',
    as: 'nobody',
    h1: 'Choose a new password',
  },
  {
    route: '/password-reset/address',
    path: '/password-reset/address#token=x',
    as: 'nobody',
    h1: 'Confirm your email address',
  },
  { route: '/', as: 'parent', h1: /Good/ },
  { route: '/', as: 'surrogate', h1: /Good/ },
  { route: '/', as: 'owner', h1: /Good/ },
  { route: '/messages', as: 'parent', h1: 'Messages' },
  { route: '/messages', path: '/messages?q=nothing-like-this', as: 'surrogate', h1: 'Messages' },
  { route: '/messages/[chain_id]', path: '/messages/{chain}', as: 'parent', h1: /./ },
  { route: '/messages/[chain_id]', path: '/messages/999999', as: 'parent', h1: /./ },
  { route: '/messages/new', as: 'parent', h1: 'Write a message' },
  { route: '/messages/new', as: 'escrow', h1: 'Write a message' },
  { route: '/cases', as: 'escrow', h1: 'Cases' },
  { route: '/cases', path: '/cases?q=nothing-like-this', as: 'owner', h1: 'Cases' },
  { route: '/cases/[id]', path: '/cases/1', as: 'parent', h1: /./ },
  { route: '/cases/[id]', path: '/cases/999999', as: 'parent', h1: 'We can’t find this page' },
  { route: '/cases/[id]/statement', path: '/cases/1/statement', as: 'parent', h1: 'Statement' },
  {
    route: '/cases/[id]/statement',
    path: '/cases/1/statement?from=2026-02-02&to=2026-02-01',
    as: 'parent',
    h1: 'Statement',
  },
  { route: '/cases/[id]/proofs', path: '/cases/1/proofs', as: 'parent', h1: 'Proofs of funds' },
  { route: '/proof/[code]', path: '/proof/NONE', as: 'nobody', h1: 'We don’t know this code' },
  { route: '/payments', as: 'surrogate', h1: 'Paid to you' },
  { route: '/payments', as: 'parent', h1: 'Paid to you' },
  { route: '/disbursements', as: 'parent', h1: 'Requests' },
  { route: '/disbursements', as: 'surrogate', h1: 'Requests' },
  { route: '/disbursements/new', as: 'surrogate', h1: 'Request money' },
  { route: '/disbursements/[id]', path: '/disbursements/{waiting}', as: 'parent', h1: /./ },
  { route: '/disbursements/[id]', path: '/disbursements/{returned}', as: 'surrogate', h1: /./ },
  { route: '/disbursements/[id]', path: '/disbursements/{draft}', as: 'surrogate', h1: /./ },
  { route: '/disbursements/[id]', path: '/disbursements/{draft}', as: 'escrow', h1: 'Sarah Lindgren’s draft' },
  { route: '/disbursements', path: '/disbursements?status=draft', as: 'escrow', h1: 'Requests' },
  {
    route: '/disbursements/[id]/edit',
    path: '/disbursements/{draft}/edit',
    as: 'surrogate',
    h1: 'Change the request',
    values: { amount: '40.00', category: 'Medical', description: 'Co-pay for the last OB visit' },
  },
  { route: '/profile', as: 'parent', h1: 'Profile', values: { first_name: 'Paige', last_name: 'Whitlock' } },
  { route: '/settings', as: 'parent', h1: 'Settings' },
];
/** Statements that select the ids for the addresses. */
export const EXAMPLES: Record<string, string> = {
  chain: `select max(m.chain_id) as id from message_file f join message m on m.id = f.message_id
           join message_recipient r on r.message_id = m.id join user_account u on u.id = r.user_id
          where u.email_address = 'parent@demo.test'`,
  draft: `select min(d.id) as id from disbursement_request d join user_account u on u.id = d.created_by
           where d.status = 'draft' and u.email_address = 'surrogate@demo.test'`,
  returned: `select min(id) as id from disbursement_request where status = 'returned' and case_id = 1`,
  waiting: `select min(d.id) as id from disbursement_request d join user_account u on u.id = d.approver_id
             where d.status = 'submitted' and u.email_address = 'parent@demo.test'`,
};
