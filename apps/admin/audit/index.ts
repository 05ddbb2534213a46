export { actionWords, actorWords, layerWords } from './audit-words.ts';
