export { listCaseOverviews } from './case-overviews.ts';
export { findHome } from './find-home.ts';
