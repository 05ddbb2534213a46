export { disbursementState } from './disbursement-state.ts';
