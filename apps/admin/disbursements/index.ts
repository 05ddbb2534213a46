export { arrival, disbursementState, whomItWaitsFor } from './disbursement-state.ts';
