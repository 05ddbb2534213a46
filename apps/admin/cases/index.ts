export { closingSoon } from './closing-soon.ts';
