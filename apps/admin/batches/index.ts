export { batchState } from './batch-words.ts';
