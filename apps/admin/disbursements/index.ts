export { accountChangeCards, type ChangedRequest } from './account-change-cards.ts';
export { accountChangeRoutes } from './account-change-routes.ts';
export { arrival, disbursementState, whomItWaitsFor } from './disbursement-state.ts';
