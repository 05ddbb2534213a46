/**
 * What people do, in words that fit "Can NAME … on CASE?", by area, with the route whose guard decides. Each guard of the
 * application has at least one (a test compares).
 */
const ACTIONS: Record<string, Record<string, string>> = {
  Cases: {
    'see case details': 'GET /cases/:case_id',
    'see the list of cases': 'GET /cases',
    'see the money': 'GET /cases/:case_id/money',
    'download the statement': 'GET /cases/:case_id/statement',
    'open the page for changes': 'GET /cases/:case_id/edit',
    'change details and people': 'POST /cases/:case_id',
    'choose who works on the case': 'POST /cases/:case_id/team',
    'change contract limits': 'POST /cases/:case_id/benefits',
    'record deposits and refunds': 'POST /cases/:case_id/money',
    'see proofs of funds': 'GET /cases/:case_id/proofs',
    'withdraw a proof of funds': 'POST /cases/:case_id/proofs/:proof_id/withdraw',
    'close the case': 'POST /cases/:case_id/close',
    'open the page for a new case': 'GET /cases/new',
    'open a new case': 'POST /cases',
  },
  Requests: {
    'see the list of requests': 'GET /disbursements',
    'see a request': 'GET /disbursements/:disbursement_id',
    'open the page for a new request': 'GET /cases/:case_id/disbursements/new',
    'write a request': 'POST /cases/:case_id/disbursements',
    'submit or cancel a request': 'POST /disbursements/:disbursement_id/submit',
    'open the page that changes a request': 'GET /disbursements/:disbursement_id/edit',
    'change a request': 'POST /disbursements/:disbursement_id',
    'approve requests after a change of account': 'POST /cases/:case_id/account-changes/approve',
    'approve or deny a request': 'POST /disbursements/:disbursement_id/approve',
  },
  Payments: {
    'see payments': 'GET /payments',
    'see batches': 'GET /batches',
    'open the page for a new batch': 'GET /batches/new',
    'make a batch and its file': 'POST /batches',
    'approve a batch': 'POST /batches/:batch_id/approve',
    'cancel or unblock a batch': 'POST /batches/:batch_id/cancel',
    'sign a batch': 'POST /batches/:batch_id/sign',
    'download the bank’s file': 'POST /batches/:batch_id/hand-out',
    'see return files': 'GET /batches/returns',
    'see a bank account': 'GET /bank-accounts/:user_id',
    'change a bank account': 'POST /bank-accounts/:user_id',
    'see our bank details': 'GET /batches/bank',
  },
  Messages: {
    'see conversations': 'GET /messages',
    'write messages and notes': 'POST /messages',
    'assign a conversation': 'POST /messages/:chain_id/assign',
    'remove someone from a conversation': 'POST /messages/:chain_id/people/:user_id/remove',
  },
  People: {
    'see people': 'GET /users',
    'see a photo ID': 'GET /users/:user_id/photo-id',
    'open the page for an invitation': 'GET /users/new',
    'open the page that changes a person': 'GET /users/:user_id/edit',
    'invite and change people': 'POST /users',
    'see agencies': 'GET /agencies',
    'change agencies and their keys': 'POST /agencies',
  },
  Administration: {
    'see roles': 'GET /roles',
    'change and assign roles': 'POST /roles',
    'check access': 'GET /access',
    'read the audit log': 'GET /audit',
    'see deliveries': 'GET /deliveries',
    'send a delivery again': 'POST /deliveries/:delivery_id/retry',
    'open the home page': 'GET /',
  },
};

/** The actions by area, each with its words and its route. */
export const ACCESS_ACTIONS = Object.entries(ACTIONS).map(([area, actions]) => ({
  area,
  actions: Object.entries(actions).map(([words, route]) => ({ words, route })),
}));

/** The words of the action at a route; undefined for any other text. */
export function accessActionWords(route: string | undefined): string | undefined {
  return ACCESS_ACTIONS.flatMap(({ actions }) => actions).find((action) => action.route === route)?.words;
}
