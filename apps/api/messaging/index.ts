export { CHAIN_STATUSES, ChainOut, toChainOut } from './message-schemas.ts';
