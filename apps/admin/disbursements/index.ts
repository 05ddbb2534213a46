export { MOVEMENT_WORDS } from './disbursement-history.ts';
export { disbursementState } from './disbursement-state.ts';
