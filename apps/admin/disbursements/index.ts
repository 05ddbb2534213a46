export { disbursementState, whomItWaitsFor } from './disbursement-state.ts';
