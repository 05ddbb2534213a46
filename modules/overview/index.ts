export { listCaseOverviews } from './case-overviews.ts';
export { CASE_EVENT_KINDS, type CaseEventKind, listCaseTimeline } from './case-timeline.ts';
export { findHome } from './find-home.ts';
