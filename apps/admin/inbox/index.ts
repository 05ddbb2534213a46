export { chainRows } from './chain-row.ts';
