export { actionWords } from './action-words.ts';
export { actorWords, layerWords } from './audit-words.ts';
