export { ChainOut, ChainStatus, toChainOut } from './message-schemas.ts';
