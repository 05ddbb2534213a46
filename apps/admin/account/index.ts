export { codeWhere } from './masked.ts';
