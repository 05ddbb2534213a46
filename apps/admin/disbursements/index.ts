export { MOVEMENT_WORDS } from './disbursement-history.ts';
export { disbursementState, sentBackWords } from './disbursement-state.ts';
